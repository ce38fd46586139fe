import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { EscalationEvents } from '#functions/ai/escalations/schemas.ts'
import { operations } from '#functions/operations.ts'
import { root } from '#local/root.ts'
import { sharedService } from '#test/support/app.ts'
import { openEscalationStream } from '#test/support/escalations.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount } from '#test/support/people.ts'
import { getFixture } from './fixtures.ts'
import { createPermittedCaller, send } from './requests.ts'

const service = await sharedService()
const cases = operations.filter(({ background }) => background).map((op) => [op.id, op] as const)

it.each(cases)(
  'AIT-10 a task of %s shows its calls to the model, in its answer and on the stream',
  async (_, op) => {
    const account = await createAccount(service)
    const person = await createPermittedCaller(op, account)
    const sample = await getFixture(op)(service, person)
    const stream = await openEscalationStream(service, account.admin)
    const accepted = expectStatus(
      await send(service, op, sample, { token: person.token, headers: { prefer: 'respond-async' } }),
      202,
    )
    const getTask = async () => (await person.call('GET', `/ai/tasks/${accepted.body.task_id}`)).body
    await expect.poll(async () => (await getTask()).state, { timeout: 30_000 }).toBe('finished')
    const task = await getTask()
    const calls = task.progress.total
    expect(calls).toBeGreaterThan(0)
    expect(task.progress).toEqual({ phase: 'finished', done: calls, total: calls })
    const readProgress = () =>
      stream.events().filter(({ event, data }) => event === 'job_progressed' && data.id === task.id)
    await expect.poll(() => readProgress().at(-1)?.data.phase, { timeout: 60_000 }).toBe('finished')
    const shown = readProgress().map(({ data }) => `${data.phase} ${data.done}/${data.total}`)
    expect([shown[0], shown.at(-1)]).toEqual(['asking 0/1', `finished ${calls}/${calls}`])
    expect(shown).toContain(`asking ${calls}/${calls}`)
    for (const { data } of readProgress())
      expect(EscalationEvents.job_progressed.safeParse(data).error).toBeUndefined()
    stream.disconnect()
  },
)

it('a job in slices says on the stream how far it is', async () => {
  // It waits for a script on a machine, which has no measure. Its end is the event `script_run_finished`.
  const waits = 'functions/runner/run-attempts/queries.ts'
  const silent: string[] = []
  for await (const file of glob('functions/**/queries.ts', { cwd: root })) {
    if (!(await readFile(join(root, file), 'utf8')).includes('.continue(')) continue
    const service = await readFile(join(root, file.replace('queries.ts', 'service.ts')), 'utf8')
    if (!service.includes('announceProgress(') && file !== waits) silent.push(file)
  }
  expect(silent).toEqual([])
})
