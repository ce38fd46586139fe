/** Something that happened, for the product's analytics: no names, no addresses. */
export interface Capture {
  event: string
  /** Whom or what it is about, by an id of ours. */
  subject: string
  properties: Record<string, string | number | null>
}

export interface AnalyticsPort {
  /** Throws when it is not taken; nothing of ours may depend on it. */
  capture(capture: Capture): Promise<void>
}

export const noAnalytics: AnalyticsPort = { capture: async () => {} }
