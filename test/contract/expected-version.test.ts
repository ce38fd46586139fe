import { expect, it } from 'vitest'
import * as z from 'zod'
import { operations } from '#functions/operations.ts'
import { sharedService } from '#test/support/app.ts'
import { createRequestSetup } from './request-setup.ts'
import { send } from './requests.ts'

const service = await sharedService()
const versioned = operations.flatMap((op) =>
  op.body instanceof z.ZodObject && 'expected_version' in op.body.shape ? [[op.id, op] as const] : [],
)

it('flows, scripts, diagrams, target lists, on-call schedules, escalation policies and task lanes are saved with an expected version', () => {
  expect(versioned.map(([id]) => id).sort()).toEqual([
    'ai.triage.putTaskLane',
    'diagrams.update',
    'flows.trees.update',
    'maintenance.targetLists.update',
    'oncall.policies.update',
    'oncall.schedules.update',
    'scripts.update',
  ])
})

it.each(versioned)(
  'WIR-38 %s returns 409 for an outdated expected_version, and one of 32 concurrent saves succeeds',
  async (_, op) => {
    const { sample, person, rows } = await createRequestSetup(service, op)
    const save = (expected_version: number) =>
      send(service, op, { ...sample, body: { ...sample.body, expected_version } }, { token: person.token })
    const before = await rows()
    const outdated = await save(999)
    expect([outdated.status, outdated.body]).toEqual([
      409,
      expect.objectContaining({ code: 'stale_version', current_version: expect.any(Number) }),
    ])
    expect(await rows()).toEqual(before)
    const saves = await Promise.all(Array.from({ length: 32 }, () => save(outdated.body.current_version)))
    expect(saves.map(({ status }) => status).sort()).toEqual([200, ...Array(31).fill(409)])
    expect(saves.find(({ status }) => status === 409)?.body).toMatchObject({
      current_version: outdated.body.current_version + 1,
    })
  },
)
