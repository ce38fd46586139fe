import type { Service } from '#test/support/app.ts'
import type { Person } from '#test/support/people.ts'
import { randomToken, sha256Bytea } from '#vendors/auth/hash.ts'
import { type Fixture, insertReturningId } from './fixture-rows.ts'
import { insertTree } from './fixtures-flows.ts'

/** Insert a source of alerts, whose flow does not exist, so that it opens no case. Return its id and the secret of its address. */
export async function insertAlertSource(service: Service, owner: Person) {
  const token = randomToken()
  const id = await insertReturningId(
    service,
    `insert into alert_sources (account_id, name, format, user_id, token_hash, tree_id) values ($1, 'Prometheus', 'alertmanager', $2, $3::bytea, gen_random_uuid()) returning id`,
    [owner.accountId, owner.id, await sha256Bytea(token)],
  )
  return { id, token }
}

export async function insertAlert(service: Service, owner: Person): Promise<string> {
  const { id } = await insertAlertSource(service, owner)
  return insertReturningId(
    service,
    `insert into alerts (account_id, source_id, fingerprint, title, digest, verdict, state, done_at, next_attempt_at)
     values ($1, $2, 'b5d2', 'Disk is full', 'd', 'ignored', 'done', now(), null) returning id`,
    [owner.accountId, id],
  )
}

const withSource: Fixture = async (service, owner) => ({
  params: { source_id: (await insertAlertSource(service, owner)).id },
})

export const alertBody = {
  version: '4',
  status: 'firing',
  alerts: [
    {
      status: 'firing',
      labels: { alertname: 'DiskFull', severity: 'critical', instance: 'SRV-FILE-01', client: 'Contoso' },
      annotations: { summary: 'Disk of SRV-FILE-01 is full', description: '97% of C: are used.' },
      startsAt: '2026-11-29T15:00:00Z',
      endsAt: '0001-01-01T00:00:00Z',
      fingerprint: 'b5d2a6f1c0e3',
    },
  ],
}

export const alertFixtures = {
  'alerts.list': async (service, owner) => {
    await insertAlert(service, owner)
    return { query: { status: 'firing', limit: '5' } }
  },
  'alerts.receive': async (service, owner) => ({
    params: { token: (await insertAlertSource(service, owner)).token },
    content: {
      bytes: new TextEncoder().encode(JSON.stringify(alertBody)),
      headers: { 'content-type': 'application/json' },
    },
  }),
  'alerts.sources.list': async (service, owner) => {
    await insertAlertSource(service, owner)
    return {}
  },
  'alerts.sources.create': async (service, owner) => ({
    body: {
      name: 'Uptime',
      format: 'json',
      mapping: { title: '/title', fingerprint: '/id', status: '/status' },
      is_enabled: true,
      severities: ['critical'],
      tree_id: await insertTree(service, owner),
      user_id: owner.id,
      max_cases_per_hour: 10,
    },
  }),
  'alerts.sources.update': async (service, owner) => ({
    ...(await withSource(service, owner)),
    body: { name: 'Zabbix', severities: ['critical', 'disaster'], is_enabled: false },
  }),
  'alerts.sources.delete': withSource,
  'alerts.sources.rotate': withSource,
  'alerts.sources.test': withSource,
} satisfies Record<string, Fixture>
