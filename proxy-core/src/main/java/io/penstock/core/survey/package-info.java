/**
 * Queries nodes outside the data path: for their versions and commands ({@link
 * io.penstock.core.survey.ServerSurvey}), and whether they answer ({@link
 * io.penstock.core.survey.HealthCheck}). Placements enter; facts about servers and the status of
 * nodes leave, as immutable values. On the topology thread.
 */
@NullMarked
package io.penstock.core.survey;

import org.jspecify.annotations.NullMarked;
