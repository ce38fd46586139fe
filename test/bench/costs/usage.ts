/** What was counted while a part of the tour ran on the Worker. */
export interface Counts {
  /** Requests to the Worker, those of the queue included. */
  requests: number
  /** Round trips to PostgreSQL. */
  roundTrips: number
  redisCommands: number
  queueMessages: number
  mails: number
  aiCalls: number
}

/** A measurement of the tour. `chapters` are counted by their titles. */
export interface Usage {
  measuredOn: string
  chapters: Record<string, Counts>
  /**
   * Mean tokens of a call to the model. The prompts are those of production, the answers those of the local
   * model.
   */
  tokensPerAiCall: { input: number; output: number }
  /**
   * Mean bytes of a row with its header and line pointer, without indexes, and rows that the tour wrote, by
   * table.
   */
  tables: Record<string, { bytesPerRow: number; rows: number }>
}

/** What cannot be measured on one machine. */
export const assumptions = {
  techniciansPerAccount: 10,
  shiftsPerMonth: 21,
  /**
   * Tickets that a technician works on with a flow, and with the AI; each tenth AI session is escalated and
   * picked up.
   */
  flowsPerShift: 8,
  aiSessionsPerShift: 4,
  escalationsPerShift: 0.4,
  /** Lists and pages that a frontend reads beside the calls of the tour, per shift. */
  readsPerShift: 400,
  cpuMsPerRequest: 8,
  /** Rows are kept for a year on average, and indexes take as much again as the rows. */
  monthsKept: 12,
  indexFactor: 2,
  /** Share of the month's written bytes that the history of 7 days contains, twice for updates. */
  historyShare: 0.5,
  uploadsPerShift: 1,
  uploadBytes: 250_000,
  /** Hours per shift for which a technician has the list of escalations open. */
  streamHours: 8,
  /**
   * Compute units of Neon that run all month, by the number of accounts. The cron trigger keeps the database
   * awake.
   */
  computeUnits: { 10: 0.25, 100: 1, 1000: 4, 10000: 20 },
  /**
   * Requests of the busiest hour, as a multiple of the mean of a working day; and the share of a core that is
   * used then.
   */
  peakFactor: 3,
  busyShare: 0.6,
} as const

export type AccountCount = keyof typeof assumptions.computeUnits
export const accountCounts = Object.keys(assumptions.computeUnits).map(Number) as AccountCount[]
