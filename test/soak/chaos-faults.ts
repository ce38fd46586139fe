import { setTimeout as sleep } from 'node:timers/promises'
import { runCronJob } from '#local/node-jobs.ts'
import { moveDatabaseClock } from '#local/postgres.ts'
import type { Fault } from '#local/vendors/faults.ts'
import type { OwnService } from '#test/support/app.ts'
import type { RedisProxy } from '#test/support/redis.ts'
import type { Processes, Slot } from './chaos-processes.ts'
import { pick, type Random } from './random.ts'

export interface ChaosTargets {
  service: OwnService
  processes: Processes
  redis: RedisProxy
}

type Play = (targets: ChaosTargets, random: Random) => Promise<void>

/** Return a duration in milliseconds. */
const between = (random: Random, least: number, most: number) => least + random() * (most - least)
const pickSlot = ({ processes }: ChaosTargets, random: Random) => pick(random, processes.slots) as Slot

/** Move the clocks of PostgreSQL and of the vendors, and run the work of the minute. */
export async function moveClock({ stack }: OwnService, seconds: number): Promise<void> {
  const { clock } = stack.localServer
  clock.setOffset(clock.offsetMs() + seconds * 1000)
  await stack.superuser.run((client) => moveDatabaseClock(client, clock.offsetMs()))
}

/** Run the work of the minute in one of the processes. */
export const runCron = ({ stack }: OwnService) => stack.superuser.run(runCronJob)

async function setVendorFault({ service }: ChaosTargets, random: Random): Promise<void> {
  const { faults } = service.stack.localServer
  const modes = ['down', 'error', 'rate_limit', 'garbage', 'slow', 'hang'] as const
  const fault: Fault = {
    service: pick(random, ['resend', 'chat1', 'hooks', 'psa', 'openai']),
    mode: pick(random, modes),
    times: 3,
    delay_ms: 2000,
  }
  faults.set({ ...fault, ...(fault.mode === 'rate_limit' ? { retry_after_s: 2 } : {}) })
  await sleep(between(random, 1000, 4000))
  faults.clear()
}

/** The faults, by name. Each is over when its promise resolves. */
export const chaosFaults: Record<string, Play> = {
  async kill(targets, random) {
    const slot = pickSlot(targets, random)
    await targets.processes.stop(slot, 'SIGKILL')
    await sleep(between(random, 200, 2000))
    await targets.processes.start(slot, slot.isPrevious)
  },
  /** Both versions run side by side until the next deployment. */
  async deploy(targets, random) {
    const slot = pickSlot(targets, random)
    await targets.processes.stop(slot, 'SIGTERM')
    await targets.processes.start(slot, !slot.isPrevious)
  },
  /** PostgreSQL ends every connection, and recovers from its log, when one of its processes dies. */
  async 'crash of PostgreSQL'({ service }, random) {
    await service.stack.superuser.run(async (client) => {
      const { rows } = await client.query<{ pid: number }>(`select pid from pg_stat_activity where usename = 'app_runtime' limit 1`)
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
  async 'Redis away'({ redis }, random) {
    redis.setFault(pick(random, ['down', 'hang', 'slow', 'error']))
    await sleep(between(random, 1000, 5000))
    redis.setFault(undefined)
  },
  vendor: setVendorFault,
  async 'clock jump'({ service }, random) {
    await moveClock(service, between(random, 20, 70))
  },
}
