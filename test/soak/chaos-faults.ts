import { setTimeout as sleep } from 'node:timers/promises'
import { moveDatabaseClock } from '#local/postgres.ts'
import type { OwnService } from '#test/support/app.ts'
import { type ChaosPlatform, type ChaosTargets, setFault } from './chaos-platforms.ts'
import { pick, type Random } from './random.ts'

type Play = (targets: ChaosTargets, random: Random) => Promise<void>

/** Return a duration in milliseconds. */
const between = (random: Random, least: number, most: number) => least + random() * (most - least)

/** Move the clocks of PostgreSQL and of the vendors. */
export async function moveClock({ stack }: OwnService, seconds: number): Promise<void> {
  const { clock } = stack.localServer
  clock.setOffset(clock.offsetMs() + seconds * 1000)
  await stack.superuser.run((client) => moveDatabaseClock(client, clock.offsetMs()))
}

const sharedFaults: Record<string, Play> = {
  async kill({ processes }, random) {
    const slot = pick(random, processes.slots)
    await processes.stop(slot, 'SIGKILL')
    await sleep(between(random, 200, 2000))
    await processes.start(slot, slot.isPrevious)
  },
  /** PostgreSQL ends every connection, and recovers from its log, when one of its processes dies. */
  async 'crash of PostgreSQL'({ service }, random) {
    await service.stack.superuser.run(async (client) => {
      const { rows } = await client.query<{ pid: number }>(
        `select pid from pg_stat_activity where usename = 'app_runtime' limit 1`,
      )
      if (rows[0]) process.kill(rows[0].pid, 'SIGKILL')
    })
    await sleep(between(random, 500, 2000))
  },
  async 'database away'({ service }, random) {
    const { faults } = service.stack.localServer
    faults.set({ service: 'postgres', mode: pick(random, ['down', 'hang', 'slow']), delay_ms: 300 })
    await sleep(between(random, 500, 3000))
    faults.clear()
  },
  async 'Redis away'({ setRedisFault }, random) {
    setRedisFault(pick(random, ['down', 'hang', 'slow', 'error']))
    await sleep(between(random, 1000, 5000))
    setRedisFault(undefined)
  },
  async 'queue loses messages'({ loseMessages }, random) {
    const until = Date.now() + between(random, 1000, 5000)
    while (Date.now() < until) {
      await loseMessages()
      await sleep(20)
    }
  },
  async vendor({ service }, random) {
    const vendor = pick(random, ['resend', 'chat1', 'hooks', 'psa', 'openai'] as const)
    setFault(service, vendor, pick(random, ['down', 'error', 'rate_limit', 'garbage', 'slow', 'hang']), 3)
    await sleep(between(random, 1000, 4000))
    setFault(service, vendor, undefined)
  },
  async 'clock jump'({ service }, random) {
    await moveClock(service, between(random, 20, 70))
  },
}

const faultsOfPlatforms: Record<ChaosPlatform, Record<string, Play>> = {
  node: {
    /** Both versions run side by side until the next deployment. */
    async deploy({ processes }, random) {
      const slot = pick(random, processes.slots)
      await processes.stop(slot, 'SIGTERM')
      await processes.start(slot, !slot.isPrevious)
    },
  },
  cloudflare: {
    async 'queue away'({ service }, random) {
      setFault(service, 'qstash', pick(random, ['down', 'error', 'rate_limit', 'garbage', 'slow', 'hang']))
      await sleep(between(random, 1000, 5000))
      setFault(service, 'qstash', undefined)
    },
  },
}

/** The faults of a platform, by name. Each is over when its promise resolves. */
export const chaosFaults = (platform: ChaosPlatform): Record<string, Play> => ({
  ...sharedFaults,
  ...faultsOfPlatforms[platform],
})
