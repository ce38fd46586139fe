import { request, type Service } from './app.ts'
import type { Person } from './people.ts'

/** Create a source of alerts, and return it with a function that sends a body to its address. */
export async function createSource(service: Service, admin: Person, input: object = {}) {
  const source = await admin.client.alerts.sources.create({
    name: 'Prometheus',
    format: 'alertmanager',
    ...input,
  })
  const path = toPath(source.url)
  return { ...source, path, send: sendTo(service, path) }
}

export const toPath = (url: string) => url.slice(url.indexOf('/alerts/'))

export const sendTo = (service: Service, path: string) => (body: unknown) =>
  request(service, 'POST', path, {
    raw: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  })

/** Build an alert of the Alertmanager. */
export const buildAlert = (
  fingerprint: string,
  status: 'firing' | 'resolved' = 'firing',
  more: object = {},
) => ({
  status,
  labels: { alertname: 'DiskFull', severity: 'critical', instance: 'SRV-FILE-01', client: 'Contoso' },
  annotations: { summary: `Disk ${fingerprint} is full`, description: '97% of C: are used.' },
  startsAt: '2026-11-29T15:00:00Z',
  fingerprint,
  ...more,
})
export const buildWebhook = (...alerts: object[]) => ({ version: '4', status: 'firing', alerts })
