import type { AnalyticsPort } from './analytics.ts'

/** Create a port that sends events to PostHog's capture endpoint, or to a compatible one. */
export function posthogAnalytics({ url, key }: { url: string; key: string }): AnalyticsPort {
  return {
    async capture({ event, subject, properties }) {
      const answer = await fetch(`${url}/capture/`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ api_key: key, event, distinct_id: subject, properties, timestamp: new Date().toISOString() }),
        redirect: 'manual',
        signal: AbortSignal.timeout(3000),
      })
      await answer.arrayBuffer()
      if (!answer.ok) throw new Error(`The analytics answered ${answer.status}`)
    },
  }
}
