# Keeps one folder and one server for the JVM that holds the other end of standard input.
#
# usage: sh -c "$(cat watchdog.sh)" watchdog FOLDER [SERVER ARGUMENT...]
#
# Orders arrive on standard input, one a line: "start", or the name of a signal for the server.
# Answers go to standard output: "started PID" and "ended STATUS". When the JVM goes, however it
# goes, standard input ends: the server is killed and the folder removed.
folder=$1
shift
trap '' HUP INT TERM PIPE
cd / || exit 1
mkfifo "$folder/pid" || exit 1

run() {
  "$@" </dev/null >>"$folder/server.log" 2>&1 &
  echo $! >"$folder/pid"
  echo "started $!" # here, so that it comes before "ended"
  wait $!
  status=$?
  rm -f "$folder/running"
  echo "ended $status"
}

while read -r order; do
  case $order in
    start)
      : >"$folder/running"
      run "$@" &
      read -r server <"$folder/pid"
      ;;
    *) kill -s "$order" "$server" ;;
  esac
done

if [ -e "$folder/running" ]; then
  kill -s KILL "$server"
fi
wait
rm -rf "$folder"
