// When a figure is a finding. Fewer sessions or answers say too little.

/** The days whose sessions are counted. */
export const periodDays = 90
/** The sessions that a flow needs, and the answers that a step needs, before their metrics are judged. */
export const minSessions = 20
/** A lower share of resolved sessions is a finding. */
export const lowSuccessRate = 0.5
/** A higher share of skipped answers to a step is a finding. */
export const highSkipRate = 0.5
/**
 * How often in a row a server must fail before its link counts as broken. A page that does not exist counts
 * at once.
 */
export const minLinkFailures = 2
