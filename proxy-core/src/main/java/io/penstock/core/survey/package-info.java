/**
 * What servers say about themselves, asked beside the data path: versions and commands ({@link
 * io.penstock.core.survey.ServerSurvey}), and whether they answer ({@link
 * io.penstock.core.survey.HealthCheck}). Placements enter, facts and states leave, as immutable
 * values. On the topology thread.
 */
@NullMarked
package io.penstock.core.survey;

import org.jspecify.annotations.NullMarked;
