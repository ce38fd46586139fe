import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { migrationsFolder } from '#db/migrate.ts'
import { attemptKinds, workKinds } from '#db/work-kinds.ts'
import { closeJobsPool, openJobsPool } from '#platform/node/jobs-pool.ts'
import { createTasks } from '#platform/node/jobs-tasks.ts'
import { night } from '#test/support/night.ts'
import type { Message } from '#vendors/queue/queue.ts'
import { createQueueDatabase, jobPath, openJobs } from './queue-platforms.ts'

const message = (n: number, options: Partial<Message> = {}): Message => ({
  path: jobPath,
  body: { n },
  ...options,
})

/**
 * Like `expect.poll`, for longer than an idle worker waits: its first notification may come before it
 * listens.
 */
const eventually = <T>(read: () => T) => expect.poll(read, { timeout: 30_000 })

/** Create a function that waits until it is released. */
function createGate() {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { wait: () => promise, release: resolve }
}

async function openWithWorker(settings: Parameters<typeof openJobs>[1] = {}) {
  const database = await createQueueDatabase()
  const jobs = openJobs(database.url, settings)
  await jobs.start()
  return { database, jobs }
}

/** Count the jobs but the sweep, which waits for its time after each run of the periodic work. */
const countJobs = async ({ sql }: Awaited<ReturnType<typeof createQueueDatabase>>) =>
  (
    await sql<{ count: number }>(
      `select count(*)::integer as count from graphile_worker.jobs where task_identifier <> 'sweep'`,
    )
  )[0]?.count

describe('the queue in PostgreSQL', () => {
  it('publishes all messages of a call with one query', async () => {
    const { database, jobs } = await openWithWorker()
    const query = vi.spyOn(jobs.pool, 'query')
    onTestFinished(() => query.mockRestore())
    await jobs.queue.publish(
      Array.from({ length: 100 }, (_, n) => message(n, { deduplicationId: `id-${n}` })),
    )
    expect(query).toHaveBeenCalledTimes(1)
    await database.settle()
    expect(jobs.started).toHaveLength(100)
  })

  it('closes a connection that does not answer a query, so that no later query waits on it', async () => {
    const { relay, url } = await createQueueDatabase()
    const pool = openJobsPool(url, 200)
    onTestFinished(() => pool.end())
    const client = await pool.connect()
    await client.query('select 1')
    relay.setMode('hang')
    await expect(client.query('select 1')).rejects.toThrow('timeout')
    client.release()
    expect(pool.totalCount).toBe(0)
  })

  it('passes no function to release a client after it was closed, as the pool of pg does', async () => {
    const pool = openJobsPool('postgres://nobody:x@127.0.0.1:1/none')
    await closeJobsPool(pool)
    const { promise, resolve } = Promise.withResolvers<unknown[]>()
    pool.connect((error, client, release) => resolve([error instanceof Error, client, release]))
    expect(await promise).toEqual([true, undefined, undefined])
  })

  it('ignores the second release of a client', async () => {
    const pool = openJobsPool((await createQueueDatabase()).url)
    const client = await new Promise<pg.PoolClient>((resolve) => {
      pool.connect((_error, client, release) => {
        release()
        release()
        resolve(client as pg.PoolClient)
      })
    })
    expect(client).toBeDefined()
    await pool.end()
  })

  it('refuses to publish after 3 s when an open connection gives no answer', {
    ...night,
    retry: 2,
  }, async () => {
    const { relay, url } = await createQueueDatabase()
    const jobs = openJobs(url)
    await jobs.pool.query('select 1')
    relay.setMode('hang')
    const start = performance.now()
    await expect(jobs.queue.publish([message(1)])).rejects.toThrow('Took too long')
    expect(performance.now() - start).toBeLessThan(3500)
    relay.setMode('down')
  })

  it('keeps a connection whose queries have ended', async () => {
    const { url } = await createQueueDatabase()
    const pool = openJobsPool(url)
    onTestFinished(() => pool.end())
    await pool.query('select 1')
    expect(pool.idleCount).toBe(1)
  })

  it('is closed to app_runtime, and its tables belong to app_platform', async () => {
    const { database } = await openWithWorker()
    const [schema] = await database.sql<{ owner: string; usage: boolean; ids: boolean }>(
      `select nspowner::regrole::text as owner, has_schema_privilege('app_runtime', oid, 'usage') as usage,
              has_table_privilege('app_runtime', 'queue_message_ids', 'select') as ids
         from pg_namespace where nspname = 'graphile_worker'`,
    )
    expect(schema).toEqual({ owner: 'app_platform', usage: false, ids: false })
    const tables = await database.sql<{ owner: string }>(
      `select distinct relowner::regrole::text as owner from pg_class where relnamespace = 'graphile_worker'::regnamespace`,
    )
    expect(tables).toEqual([{ owner: 'app_platform' }])
  })

  it('works after its schema was lost and its migration is run again', async () => {
    const { database, jobs } = await openWithWorker()
    await jobs.queue.stop(2000)
    const owner = new pg.Client({ connectionString: database.ownerUrl })
    await owner.connect()
    await owner.query('drop schema graphile_worker cascade')
    await owner.query(await readFile(join(migrationsFolder, '0035_queue.sql'), 'utf8'))
    await owner.end()
    const others = openJobs(database.url)
    await others.start()
    await others.queue.publish([message(1)])
    await database.settle()
    expect(others.started).toEqual([1])
  })
})

describe('the worker', () => {
  it('runs the messages of a killed process again when they are published again, with and without their id', async () => {
    const database = await createQueueDatabase()
    const child = spawn(process.execPath, [join(import.meta.dirname, 'job-process.ts'), database.url], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    expect((await lines.next()).value).toBe('ready')
    const jobs = openJobs(database.url)
    await jobs.queue.publish([message(1, { deduplicationId: 'attempt' })])
    expect((await lines.next()).value).toBe('started')
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    expect(await exited).toEqual([null, 'SIGKILL'])
    await jobs.start()
    // The sweep publishes without an id.
    await jobs.queue.publish([message(2)])
    await eventually(() => jobs.started).toEqual([2])
    await database.sql(`update local_clock.moved set by_ms = 61000`)
    await jobs.queue.publish([message(3, { deduplicationId: 'attempt' })])
    await eventually(() => jobs.started).toEqual([2, 3])
    await eventually(() =>
      database.sql('select locked_by is not null as locked from graphile_worker.jobs'),
    ).toEqual([{ locked: true }])
    // The library does the same after four hours.
    await database.sql(
      'select graphile_worker.force_unlock_workers(array(select locked_by from graphile_worker.jobs))',
    )
    await database.runCron()
    expect(jobs.started).toEqual([2, 3])
    expect(await countJobs(database)).toBe(0)
  })

  it('leaves no finished or failed job and no expired id in the tables', async () => {
    const { database, jobs } = await openWithWorker()
    jobs.handle = async (n) => {
      if (n === 1) throw new Error('failed')
    }
    await jobs.queue.publish([message(1, { deduplicationId: 'a' }), message(2, { deduplicationId: 'b' })])
    await database.settle()
    expect(await countJobs(database)).toBe(0)
    await database.advanceClock(61)
    await jobs.queue.publish([message(4, { deduplicationId: 'c', delaySeconds: 60 })])
    await database.runCron()
    expect(await countJobs(database)).toBe(1)
    expect(await database.sql('select id from queue_message_ids')).toEqual([{ id: 'c' }])
  })

  it('runs no more jobs at the same time than its concurrency', async () => {
    const { database, jobs } = await openWithWorker({ concurrency: 3 })
    const gate = createGate()
    jobs.handle = gate.wait
    await jobs.queue.publish(Array.from({ length: 7 }, (_, n) => message(n)))
    await eventually(() => jobs.started).toHaveLength(3)
    gate.release()
    await database.settle()
    expect(jobs.started).toHaveLength(7)
  })

  it('starts a delayed job when the clock moves, without waiting for its next look', async () => {
    const { database, jobs } = await openWithWorker({ pollIntervalMs: 600_000 })
    // Once a job has started, the worker listens.
    const publish = () => jobs.queue.publish([message(0)])
    await eventually(() => publish().then(() => jobs.started)).toContain(0)
    await jobs.queue.publish([message(1, { delaySeconds: 30 })])
    await database.advanceClock(31)
    expect(jobs.started).toContain(1)
  })

  it('gives the place of a job that takes too long to another one', async () => {
    const { jobs } = await openWithWorker({ concurrency: 1, jobTimeoutMs: 50 })
    jobs.handle = (n) => (n === 1 ? new Promise(() => {}) : Promise.resolve())
    await jobs.queue.publish([message(1)])
    await jobs.queue.publish([message(2)])
    await eventually(() => jobs.started).toEqual([1, 2])
    expect(jobs.log[0]).toMatchObject({ job: jobPath, error: { name: 'TimeoutError' } })
  })

  it('logs a line per job with its path and duration, and nothing of its body', async () => {
    const { database, jobs } = await openWithWorker()
    await jobs.queue.publish([message(4711)])
    await database.settle()
    expect(jobs.log).toEqual([{ at: expect.any(String), job: jobPath, ms: expect.any(Number) }])
  })
})

describe('the periodic work', () => {
  it('runs once per minute over two workers', async () => {
    // Only the clock is replaced, so that the timers of the workers end. Each step sets it to the end of a
    // minute: the next timer is short.
    const minute = (n: number) => Date.UTC(2020, 0, 1, 12, n, 59, 960)
    vi.useFakeTimers({ toFake: ['Date'], now: minute(0) })
    onTestFinished(() => void vi.useRealTimers())
    const database = await createQueueDatabase()
    const workers = [1, 2].map(() => openJobs(database.url, { schedulesCron: true }))
    await Promise.all(workers.map(({ start }) => start()))
    const countRuns = () => workers.reduce((sum, { cron }) => sum + cron.count, 0)
    for (let n = 1; n <= 6; n++) {
      vi.setSystemTime(minute(n))
      // `expect.poll` would move the clock.
      while (countRuns() < n) await sleep(2)
    }
    await database.settle()
    expect(await Promise.all(workers.map(({ queue }) => queue.stop(2000)))).toEqual([true, true])
    expect(countRuns()).toBe(6)
  })

  it('starts before the messages that wait', async () => {
    const minutesAgo = (minutes: number) => Math.floor(Date.now() / 60_000 - minutes) * 60_000 - 40
    const [start, nextMinute] = [minutesAgo(10), minutesAgo(9)]
    vi.useFakeTimers({ toFake: ['Date'], now: start })
    onTestFinished(() => void vi.useRealTimers())
    const { database, jobs } = await openWithWorker({ concurrency: 1, schedulesCron: true })
    const gate = createGate()
    jobs.handle = gate.wait
    jobs.cron.run = async () => void jobs.started.push(-1)
    await jobs.queue.publish([message(1)])
    while (jobs.started.length < 1) await sleep(2)
    await jobs.queue.publish([message(2)])
    await database.sql(
      `update graphile_worker._private_jobs set run_at = run_at - interval '1 hour' where locked_at is null`,
    )
    vi.setSystemTime(nextMinute)
    while ((await countJobs(database)) !== 3) await sleep(2)
    gate.release()
    await database.settle()
    expect(jobs.started).toEqual([1, -1, 2])
  })

  it('is followed by one sweep half a minute later', async () => {
    const { database, jobs } = await openWithWorker()
    await database.runCron()
    await database.runCron()
    const waiting = await database.sql(
      `select extract(epoch from run_at - now())::integer as seconds from graphile_worker.jobs`,
    )
    expect(waiting).toEqual([{ seconds: expect.toBeOneOf([28, 29, 30]) }])
    expect(jobs.cron.sweeps).toBe(0)
    await database.advanceClock(31)
    await database.settle()
    expect(jobs.cron.sweeps).toBe(1)
  })

  it('continues after a failure', async () => {
    const { database, jobs } = await openWithWorker()
    jobs.cron.run = async () => {
      throw new Error('failed')
    }
    await database.runCron()
    await database.runCron()
    expect(jobs.cron.count).toBe(2)
    expect(jobs.log.filter(({ job }) => job === 'cron')).toMatchObject([
      { error: { name: 'Error' } },
      { error: { name: 'Error' } },
    ])
  })
})

describe('stopping', () => {
  it('leaves signals to the process', async () => {
    const countListeners = () => process.listenerCount('SIGTERM') + process.listenerCount('SIGINT')
    const before = countListeners()
    await openWithWorker()
    expect(countListeners()).toBe(before)
  })

  it('waits for the jobs that run, starts no other, and lets them publish', async () => {
    // With one place, no other fetch of a job is under way.
    const { database, jobs } = await openWithWorker({ concurrency: 1, libraryStopMs: 20 })
    const gate = createGate()
    jobs.handle = async () => {
      await gate.wait()
      await jobs.queue.publish([message(2)])
    }
    await jobs.queue.publish([message(1)])
    await eventually(() => jobs.started).toEqual([1])
    const stopped = jobs.queue.stop(10_000)
    await jobs.queue.publish([message(3)])
    // Longer than it waits for the library.
    expect(await Promise.race([stopped, sleep(60, 'running')])).toBe('running')
    gate.release()
    expect(await stopped).toBe(true)
    expect(jobs.started).toEqual([1])
    await eventually(() => countJobs(database)).toBe(2)
  })

  it('reports a job that still runs after its time', { retry: 2 }, async () => {
    const { jobs } = await openWithWorker()
    const gate = createGate()
    jobs.handle = gate.wait
    await jobs.queue.publish([message(1)])
    await eventually(() => jobs.started).toEqual([1])
    const start = performance.now()
    expect(await jobs.queue.stop(100)).toBe(false)
    expect(performance.now() - start).toBeLessThan(1000)
    gate.release()
  })

  it('ends while PostgreSQL gives no answer, and so does the closing of the connections', {
    ...night,
    retry: 2,
  }, async () => {
    const { database, jobs } = await openWithWorker()
    database.relay.setMode('hang')
    const start = performance.now()
    expect(await jobs.queue.stop(10_000)).toBe(true)
    await closeJobsPool(jobs.pool)
    expect(performance.now() - start).toBeLessThan(5000)
    database.relay.setMode('down')
  })

  it('is possible before the worker has started', async () => {
    const database = await createQueueDatabase()
    database.relay.setMode('down')
    const jobs = openJobs(database.url)
    const started = jobs.start()
    expect(await jobs.queue.stop(5000)).toBe(true)
    await started
  })
})

describe('recovery', () => {
  it('starts when PostgreSQL is there', async () => {
    const database = await createQueueDatabase()
    database.relay.setMode('down')
    const jobs = openJobs(database.url)
    const started = jobs.start()
    await eventually(() => jobs.log).toMatchObject([
      { worker: 'The worker does not start', error: { name: 'Error' } },
    ])
    database.relay.setMode('open')
    await started
    await jobs.queue.publish([message(1)])
    await eventually(() => jobs.started).toEqual([1])
  })

  it('takes jobs again when all connections were lost while jobs ran', async () => {
    const { database, jobs } = await openWithWorker()
    const gate = createGate()
    jobs.handle = gate.wait
    await jobs.queue.publish([message(1), message(2)])
    await eventually(() => jobs.started.toSorted()).toEqual([1, 2])
    await database.sql(
      `select pg_terminate_backend(pid) from pg_stat_activity where usename = 'app_platform' and datname = current_database()`,
    )
    database.relay.setMode('down')
    gate.release()
    // The library cannot delete the jobs, and ends.
    await eventually(() => JSON.stringify(jobs.log)).toContain('Failed to complete jobs')
    database.relay.setMode('open')
    await jobs.queue.publish([message(3)])
    await eventually(() => jobs.started.toSorted()).toEqual([1, 2, 3])
  })

  it('takes jobs again although the library stores a failure', async () => {
    const { database, jobs } = await openWithWorker()
    await jobs.queue.stop(2000)
    const table = 'graphile_worker._private_tasks'
    await database.sql(`alter table ${table} rename to other_tasks`)
    const others = openJobs(database.url)
    let uses = 0
    others.pool.on('acquire', () => uses++)
    let isStarted = false
    const started = others.start().then(() => {
      isStarted = true
    })
    // One start uses a connection four times. Afterwards the library uses none, because it repeats the stored
    // failure.
    await eventually(() => uses).toBeGreaterThan(4)
    expect(isStarted).toBe(false)
    await database.sql('alter table graphile_worker.other_tasks rename to _private_tasks')
    await started
    await others.queue.publish([message(1)])
    await eventually(() => others.started).toEqual([1])
  })

  it('restarts the library when it cannot fetch jobs for a while', night, async () => {
    const { database, jobs } = await openWithWorker({ pollIntervalMs: 50, giveUpMs: 200 })
    await database.sql('revoke select on graphile_worker.migrations from app_platform')
    await database.sql('alter table graphile_worker._private_jobs rename to other_jobs')
    await eventually(() => JSON.stringify(jobs.log)).toContain('The worker does not start')
    await database.sql('alter table graphile_worker.other_jobs rename to _private_jobs')
    await database.sql('grant select on graphile_worker.migrations to app_platform')
    await jobs.queue.publish([message(1)])
    await eventually(() => jobs.started).toEqual([1])
  })
})

/** Create the tasks of a worker whose jobs wait until the gate opens. Each id is also that of its account. */
function createWaitingTasks() {
  const gate = createGate()
  const started: string[] = []
  const run = async (path: string) => {
    started.push(path)
    await gate.wait()
  }
  const query = async ({ values: [id] }: { values: [string] }) => ({ rows: [{ account_id: id }] })
  const work = {
    pool: { query } as unknown as pg.Pool,
    handlers: { run, cron: async () => {}, sweep: async () => {} },
    log: () => {},
    jobTimeoutMs: 60_000,
    running: new Set<Promise<void>>(),
    concurrency: 10,
    stopping: new AbortController(),
  }
  const { message: runMessage } = createTasks(work)
  const start = async (path: string, body: object = {}) =>
    void (await runMessage?.({ path, body }, {} as never))
  return { gate, started, work, start }
}

describe('the jobs of an account', () => {
  const kinds = attemptKinds.map((kind) => workKinds[kind].job)

  it.each(kinds)(
    'WIR-50 leave half of the places of $path to others, and run one after another',
    async ({ path, idField }) => {
      const { gate, started, start } = createWaitingTasks()
      const jobs: Promise<void>[] = []
      for (let n = 0; n < 100; n++) {
        jobs.push(start(path, { [idField]: 'A' }))
        await sleep(0)
      }
      const most = path === workKinds.webhook.job.path ? 25 : 5
      expect(started).toHaveLength(most)
      // The others have given their places back.
      await Promise.all(jobs.slice(most))
      void start(path, { [idField]: 'B' })
      await sleep(0)
      expect(started).toHaveLength(most + 1)
      gate.release()
      await expect.poll(() => started.length).toBe(101)
    },
  )

  it('WIR-50 that wait when the worker stops are left to the sweep', async () => {
    const { gate, started, work, start } = createWaitingTasks()
    const jobs = Array.from({ length: 20 }, () => start('/jobs/psa/push', { push_id: 'A' }))
    await sleep(0)
    work.stopping.abort()
    gate.release()
    await Promise.all(jobs)
    expect(started).toHaveLength(5)
  })
})

describe('a job of a webhook', () => {
  const webhookPath = '/jobs/webhooks/deliver'

  it('WHK-16 gives its place to other jobs while it waits for the receiver, and a stop waits for it', async () => {
    const { gate, work, start } = createWaitingTasks()
    await start(webhookPath)
    expect(work.running.size).toBe(1)
    let hasEnded = false
    const other = start(jobPath).then(() => {
      hasEnded = true
    })
    await sleep(0)
    expect(hasEnded).toBe(false)
    gate.release()
    await other
    await Promise.all(work.running)
  })

  it('WHK-16 is left to the sweep when 50 are waiting', async () => {
    const { gate, started, start } = createWaitingTasks()
    for (let n = 0; n < 60; n++) await start(webhookPath)
    expect(started).toHaveLength(50)
    gate.release()
    await sleep(0)
    await start(webhookPath)
    expect(started).toHaveLength(51)
  })
})
