/* A server module with commands that are not in Penstock's table. TestModule compiles it.
 * It has its own declarations, so that no header of Redis has to be installed. */

typedef struct Ctx Ctx;
typedef struct Text Text;
typedef struct Reply Reply;
typedef struct Command Command;
typedef int Function(Ctx *, Text **, int);

static int (*CreateCommand)(Ctx *, const char *, Function *, const char *, int, int, int);
static Command *(*GetCommand)(Ctx *, const char *);
static int (*CreateSubcommand)(Command *, const char *, Function *, const char *, int, int, int);
static int (*SetModuleAttribs)(Ctx *, const char *, int, int);
static int (*ReplyWithSimpleString)(Ctx *, const char *);
static int (*ReplyWithCallReply)(Ctx *, Reply *);
static int (*WrongArity)(Ctx *);
static int (*IsKeysPositionRequest)(Ctx *);
static void (*KeyAtPos)(Ctx *, int);
static Reply *(*Call)(Ctx *, const char *, const char *, ...);

static int put(Ctx *ctx, Text **argv, int argc) {
  if (argc != 3) return WrongArity(ctx);
  return ReplyWithCallReply(ctx, Call(ctx, "SET", "!ss", argv[1], argv[2]));
}

static int pairs(Ctx *ctx, Text **argv, int argc) {
  for (int i = 1; i + 1 < argc; i += 2) Call(ctx, "SET", "!ss", argv[i], argv[i + 1]);
  return ReplyWithSimpleString(ctx, "PAIRS");
}

static int hello(Ctx *ctx, Text **argv, int argc) {
  (void)argv, (void)argc;
  return ReplyWithSimpleString(ctx, "HELLO");
}

static int movable(Ctx *ctx, Text **argv, int argc) {
  (void)argv;
  if (IsKeysPositionRequest(ctx)) {
    KeyAtPos(ctx, argc - 1);
    return 0;
  }
  return ReplyWithSimpleString(ctx, "MOVABLE");
}

static int boxed(Ctx *ctx, Text **argv, int argc) {
  if (argc != 3) return WrongArity(ctx);
  return ReplyWithCallReply(ctx, Call(ctx, "GET", "s", argv[2]));
}

int RedisModule_OnLoad(Ctx *ctx, Text **argv, int argc) {
  (void)argv, (void)argc;
  int (*api)(const char *, void *) = ((int (**)(const char *, void *))ctx)[0];
  api("RedisModule_CreateCommand", &CreateCommand);
  api("RedisModule_GetCommand", &GetCommand);
  api("RedisModule_CreateSubcommand", &CreateSubcommand);
  api("RedisModule_SetModuleAttribs", &SetModuleAttribs);
  api("RedisModule_ReplyWithSimpleString", &ReplyWithSimpleString);
  api("RedisModule_ReplyWithCallReply", &ReplyWithCallReply);
  api("RedisModule_WrongArity", &WrongArity);
  api("RedisModule_IsKeysPositionRequest", &IsKeysPositionRequest);
  api("RedisModule_KeyAtPos", &KeyAtPos);
  api("RedisModule_Call", &Call);
  SetModuleAttribs(ctx, "learnt", 1, 1);
  CreateCommand(ctx, "LEARNT.PUT", put, "write fast", 1, 1, 1);
  CreateCommand(ctx, "learnt.pairs", pairs, "write", 1, -1, 2);
  CreateCommand(ctx, "learnt.hello", hello, "readonly", 0, 0, 0);
  CreateCommand(ctx, "learnt.danger", hello, "admin", 0, 0, 0);
  CreateCommand(ctx, "learnt.movable", movable, "readonly getkeys-api", 0, 0, 0);
  CreateCommand(ctx, "learnt.box", 0, "", 0, 0, 0);
  if (GetCommand && CreateSubcommand)
    CreateSubcommand(GetCommand(ctx, "learnt.box"), "get", boxed, "readonly", 2, 2, 1);
  return 0;
}
