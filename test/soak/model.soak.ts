import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type OwnService, startOwnService } from '#test/support/app.ts'
import { openEscalationStream } from '#test/support/escalations.ts'
import { createLastingAccount } from '#test/support/maintenance.ts'
import { playModel } from './model.ts'
import { createEscalationModel, expectComplete } from './model-escalation.ts'
import { createScheduleModel, expectRunsComplete } from './model-maintenance.ts'
import { createSessionModel, expectToldOnce } from './model-session.ts'
import { chooseSeed, createRandom } from './random.ts'

const seed = chooseSeed()
const cases = Math.ceil(Number(process.env.SOAK_ROUNDS ?? 200) / 10)
const rounds = 12
// A person may start 10 runs a minute.
const scheduleRounds = 10

describe.each(['node', 'cloudflare'] as const)(`three people at once on %s, seed ${seed}`, (platform) => {
  let service: OwnService
  beforeAll(async () => {
    service = await startOwnService({}, { platform })
  })
  afterAll(() => service.close())

  /** Run `play` with a sequence of random numbers and people of its own for each case. */
  async function playCases(play: (random: () => number, label: string) => Promise<void>) {
    for (let n = 0; n < cases; n++) await play(createRandom(seed + n), `seed ${seed}, case ${n}`)
  }

  it('escalate, claim and close a case as one after the other could', () =>
    playCases(async (random, label) => {
      const { admin, addColleague } = await createLastingAccount(service)
      const people = [await addColleague(), await addColleague(), await addColleague()]
      const model = await createEscalationModel(service, people)
      const stream = await openEscalationStream(service, admin)
      const state = await playModel(model, random, rounds, label)
      await expectComplete(service, model.id, state, stream, label)
      stream.disconnect()
    }))

  it('run a session with a sub-flow, an approval and a timer as one after the other could', () =>
    playCases(async (random, label) => {
      const account = await createLastingAccount(service)
      const people = [
        await account.addColleague(),
        account.admin,
        await account.addColleague({ role: 'admin' }),
      ]
      // The sign-ins of people who come later must outlive the clock too.
      await service.sql(`update sign_ins set expires_at = '2100-01-01' where account_id = $1`, [account.id])
      const model = await createSessionModel(service, people, random)
      await expectToldOnce(service, model.id, await playModel(model, random, rounds * 2, label), label)
    }))

  it('run a maintenance schedule as one after the other could', () =>
    playCases(async (random, label) => {
      const account = await createLastingAccount(service)
      const people = [await account.addColleague(), await account.addColleague(), account.admin]
      await service.sql(`update sign_ins set expires_at = '2100-01-01' where account_id = $1`, [account.id])
      const model = await createScheduleModel(service, people, random)
      const state = await playModel(model, random, scheduleRounds, label)
      await expectRunsComplete(service, model.id, state, label)
      expect(state.manualRuns + state.dueRuns, label).toBeGreaterThan(0)
    }))
})
