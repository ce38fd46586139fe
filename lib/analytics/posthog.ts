import type { AnalyticsPort } from './analytics.ts'

/** Create a port that sends events to PostHog's capture endpoint, or to a compatible one. */
export function posthogAnalytics({ url, key }: { url: string; key: string }): AnalyticsPort {
  return {
    async capture({ event, subject, properties }) {
      const response = await fetch(`${url}/capture/`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ api_key: key, event, distinct_id: subject, properties, timestamp: new Date().toISOString() }),
        redirect: 'manual',
        signal: AbortSignal.timeout(3000),
      })
      await response.arrayBuffer()
      if (!response.ok) throw new Error(`The analytics service returned ${response.status}`)
    },
  }
}
