import { createBoundedFetch } from '#vendors/net/bounded-fetch.ts'
import type { AnalyticsPort } from './analytics.ts'

const limits = { timeoutMs: 3000, maxBytes: 64 * 1024 }

/** Create a port that sends events to PostHog's capture endpoint, or to a compatible one. */
export function posthogAnalytics({ url, key }: { url: string; key: string }): AnalyticsPort {
  const fetchBounded = createBoundedFetch('analytics', limits)
  return {
    async capture({ event, subject, properties }) {
      const response = await fetchBounded(`${url}/capture/`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          api_key: key,
          event,
          distinct_id: subject,
          properties,
          timestamp: new Date().toISOString(),
        }),
      })
      await response.arrayBuffer()
      if (!response.ok) throw new Error(`The analytics service returned ${response.status}`)
    },
  }
}
