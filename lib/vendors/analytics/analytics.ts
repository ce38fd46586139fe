/** An event for product analytics, without names and addresses. */
export interface AnalyticsEvent {
  event: string
  /** Our id of the user or row it is about. */
  subject: string
  properties: Record<string, string | number | null>
}

export interface AnalyticsPort {
  /** Throw when the event is not accepted. Nothing may depend on it. */
  capture(capture: AnalyticsEvent): Promise<void>
}

export const noAnalytics: AnalyticsPort = { capture: async () => {} }
