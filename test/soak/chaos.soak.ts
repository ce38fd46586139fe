import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { startPostgres } from '#local/postgres.ts'
import { createLastingAccount } from '#test/support/maintenance.ts'
import { connectPsa } from '#test/support/psa.ts'
import { collectRecords, findDamage, settle } from './chaos-checks.ts'
import { chaosFaults } from './chaos-faults.ts'
import { insertSessions, listen, playEngineer, type Seen } from './chaos-load.ts'
import { type ChaosPlatform, openTargets } from './chaos-platforms.ts'
import { chooseSeed, createRandom, pick } from './random.ts'
import { checkOut, findPreviousVersion } from './versions.ts'

const seed = chooseSeed()
const seconds = Number(process.env.SOAK_SECONDS ?? 75)
const platforms: ChaosPlatform[] = ['node', 'cloudflare']
const ownerCount = 6
const recoverySeconds = 10
/** cannot_connect_now: https://www.postgresql.org/docs/18/errcodes-appendix.html */
const recovering = '57P03'

it.each(platforms)(
  `loses nothing and does nothing twice in ${seconds} s of faults on %s, seed ${seed}`,
  async (platform) => {
    const folder = await mkdtemp(join(tmpdir(), 'chaos-'))
    const previous = findPreviousVersion()
    checkOut(previous, join(folder, 'previous'))
    // Its own server, which keeps what it has confirmed when it dies.
    const cluster = await startPostgres(join(folder, 'data'), { durable: true })
    const folders = { objects: join(folder, 'objects'), previous: join(folder, 'previous') }
    const targets = await openTargets(platform, cluster, folders)
    const { service, processes } = targets
    const faults = chaosFaults(platform)
    const random = createRandom(seed)
    try {
      const account = await createLastingAccount(service)
      await connectPsa(service, account.admin)
      const { items: tickets } = await account.admin.client.psa.tickets.search({ page_size: 20 })
      const events_enabled = ['session.escalated' as const]
      const webhook_url = `${service.localOrigin}/chat/1/chaos`
      await account.admin.client.notifications.createConfig({
        channel: 'chat1_webhook',
        webhook_url,
        events_enabled,
      })
      await account.admin.client.webhooks.create({
        url: `${service.localOrigin}/hooks/chaos`,
        events: events_enabled,
      })
      const owners = await Promise.all(Array.from({ length: ownerCount }, () => account.addColleague()))
      const colleagues = await Promise.all(Array.from({ length: ownerCount }, () => account.addColleague()))
      // The day of a busy account.
      await service.sql('update plan_limits set max_mails_per_day = null')
      await service.sql(`update sign_ins set expires_at = '2100-01-01' where account_id = $1`, [account.id])
      const sessionIds = await insertSessions(
        service,
        [...owners, account.admin],
        seconds,
        tickets.map(({ id }) => id),
      )
      for (const slot of processes.slots) await processes.start(slot, false)
      const records = collectRecords(service)
      const listeners = colleagues.slice(0, 2).map((person) => listen(processes, random, person))
      await Promise.all(listeners.map(({ opened }) => opened))

      const seen: Seen = {
        requests: 0,
        failures: {},
        violations: [],
        escalated: new Set(),
        claimed: new Set(),
      }
      const until = Date.now() + seconds * 1000
      const load = owners.map((owner, n) =>
        playEngineer(
          { processes, random, seen, until },
          owner,
          colleagues[n] as typeof owner,
          sessionIds[n] ?? [],
        ),
      )
      const cron = setInterval(() => void targets.runCron().catch(() => {}), 20_000)
      const played: Record<string, number> = {}
      while (Date.now() < until) {
        const name = pick(random, Object.keys(faults))
        played[name] = (played[name] ?? 0) + 1
        await faults[name]?.(targets, random).catch((error: Error & { code?: string }) => {
          // PostgreSQL still recovers from the fault before.
          if (error.code !== recovering) seen.violations.push(`${name}: ${error.message}`)
        })
        await sleep(500 + random() * 2000)
      }
      const lastFault = Date.now()
      // A new case must reach the vendors and the streams.
      const [probe = ''] = sessionIds.at(-1) ?? []
      const probing = { processes, random, seen, until: Number.POSITIVE_INFINITY }
      await playEngineer(probing, account.admin, colleagues[0] as typeof account.admin, [probe])
      const isDelivered = () => {
        records.collect()
        return [...records.received.chat.values()].some((text) => text.includes(probe))
      }
      await expect.poll(isDelivered, { timeout: recoverySeconds * 3000, interval: 100 }).toBe(true)
      const recovered = (Date.now() - lastFault) / 1000
      clearInterval(cron)
      await Promise.all(load)

      const open = await settle(targets)
      await sleep(3000)
      await Promise.all(listeners.map(({ stop }) => stop()))
      records.collect()
      records.stop()
      const { damage, figures } = await findDamage(service, account.id, seen, records.received, listeners)
      const { requests, failures, violations, escalated, claimed } = seen
      const starts = processes.slots.map((slot) => slot.starts)
      const report = {
        platform,
        seed,
        seconds,
        previous,
        played,
        starts,
        requests,
        failures,
        escalated: escalated.size,
        claimed: claimed.size,
      }
      console.log(
        JSON.stringify({
          ...report,
          ...figures,
          recovered,
          open,
          violations: violations.length,
          damage: damage.length,
        }),
      )
      expect({ open, violations, damage }, `seed ${seed}`).toEqual({ open: {}, violations: [], damage: [] })
      expect(recovered, `seed ${seed}`).toBeLessThan(recoverySeconds)
    } finally {
      for (const slot of processes.slots) await processes.stop(slot, 'SIGKILL')
      await service.close()
      await cluster.stop()
      await rm(folder, { recursive: true, force: true })
      await rm(cluster.dataDir, { recursive: true, force: true })
    }
  },
)
