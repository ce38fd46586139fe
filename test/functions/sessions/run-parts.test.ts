import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { root } from '#local/root.ts'
import { sharedService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount } from '#test/support/people.ts'
import { createChildFlow, createParentFlow, startRun } from '#test/support/subflows.ts'

const service = await sharedService()

/** A child with one step and a field `ip`, whose answer the parent takes as `addr`. */
const childFields = {
  tree_structure: {
    steps: [
      { id: 'c', type: 'procedure_step', title: 'Look at {{ip}}', description: '' },
      { id: 'end', type: 'procedure_end', title: 'Done', description: '' },
    ],
  },
  intake_form: [{ key: 'ip', label: 'Address', type: 'text', required: false }],
}

/** Run a flow whose first step is a sub-flow, which is completed and answers the step. */
async function createScene() {
  const account = await createAccount(service)
  const person = await account.addColleague()
  const child = await createChildFlow(person, childFields)
  const parent = await createParentFlow(person, child.id, {
    outputs: { addr: 'ip' },
  })
  const run = await startRun(person, parent.id, { addr: '10.9.9.9' })
  const path = `/sessions/${run.id}`
  const runChild = async (ip: string) => {
    const part = expectStatus(await person.call('POST', `${path}/subflows`, { variables: { ip } }), 201).body
    expectStatus(
      await person.call('POST', `/sessions/${part.id}/decisions`, { step_id: 'c', outcome: 'done' }),
      201,
    )
    expectStatus(await person.call('POST', `/sessions/${part.id}/complete`, { outcome: 'resolved' }), 200)
    return part.id as string
  }
  const read = async () => expectStatus(await person.call('GET', path), 200).body
  return { ...account, person, run, path, runChild, read }
}

describe('a run and its parts', () => {
  it('SUB-26 counts once for people, teams and weeks', async () => {
    const { admin, person, path, runChild, teamId } = await createScene()
    await runChild('10.1.1.1')
    expectStatus(await person.call('POST', `${path}/decisions`, { step_id: 'after', outcome: 'done' }), 201)
    expectStatus(await person.call('POST', `${path}/complete`, { outcome: 'resolved' }), 200)
    const own = expectStatus(await person.call('GET', '/analytics/me'), 200).body
    const team = expectStatus(await admin.call('GET', '/analytics/team'), 200).body
    const once = { sessions_started: 1, sessions_completed: 1 }
    expect([own, team]).toMatchObject([once, once])
    expect(team.by_user).toMatchObject([{ user_id: person.id, sessions: 1 }])
    await service.sql(
      `update sessions set started_at = '2026-01-06T08:00:00Z', completed_at = '2026-01-06T09:00:00Z' where account_id = $1`,
      [person.accountId],
    )
    const week = await admin.call('GET', `/reports/weekly?team_id=${teamId}&week=2026-W02`)
    expect(expectStatus(week, 200).body).toMatchObject({
      sessions: { started: 1, completed: 1, resolved: 1 },
    })
  })

  it('SUB-26 an undo takes back what the sub-flow of the step has set, and abandons it', async () => {
    const { person, path, runChild, read } = await createScene()
    const part = await runChild('10.1.1.1')
    expect((await read()).variables).toMatchObject({ addr: '10.1.1.1' })
    expectStatus(await person.call('DELETE', `${path}/decisions/last`), 200)
    expect(await read()).toMatchObject({ current_step_id: 'run', variables: { addr: '10.9.9.9' } })
    expect((await person.call('GET', `/sessions/${part}`)).body).toMatchObject({
      state: 'abandoned',
      outcome: null,
    })
    // Again, so that the second one restores the first value as well.
    await runChild('10.2.2.2')
    expectStatus(await person.call('DELETE', `${path}/decisions/last`), 200)
    expect((await read()).variables).toMatchObject({ addr: '10.9.9.9' })
  })

  it('SUB-26 its parts stay when it is completed, and their time is booked with it', async () => {
    const { person, run, path, runChild } = await createScene()
    const part = await runChild('10.1.1.1')
    expectStatus(await person.call('POST', `${path}/complete`, { outcome: 'resolved' }), 200)
    for (const [method, action] of [
      ['DELETE', ''],
      ['POST', '/time-entry'],
    ] as const)
      expect(
        expectStatus(await person.call(method, `/sessions/${part}${action}`, action ? {} : undefined), 409)
          .body,
      ).toMatchObject({ code: 'wrong_state', parent_session_id: run.id })
  })
})

/** The figures of a flow by itself, in which each of its sessions counts. */
const flowFigures = new Set([
  'flowName',
  'ratingCondition',
  'selectTopFlows',
  'flowMetrics',
  'selectThumbsPerFlow',
  'selectFlowResults',
  'selectSlowFlows',
  'selectUnfinishedFlows',
  'startedSessions',
  'selectUnansweredSteps',
])

it('SUB-26 each statement of the analytics counts runs, or is about a flow by itself', () => {
  const files = ['functions/analytics/queries.ts', 'functions/analytics/reports/queries.ts']
  const statements = files.flatMap((file) =>
    readFileSync(`${root}/${file}`, 'utf8').split(/^(?=(?:export )?(?:const|async function|function) )/m),
  )
  const counting = statements.filter((text) => /\bfrom sessions s\b|sql`sessions s`/.test(text))
  const names = counting
    .filter((text) => !text.includes('isRun'))
    .map((text) => /(?:const|function) (\w+)/.exec(text)?.[1])
  expect(names.filter((name) => !flowFigures.has(name ?? ''))).toEqual([])
})
