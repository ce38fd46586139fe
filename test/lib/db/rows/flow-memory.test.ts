import { expect, it, onTestFinished } from 'vitest'
import { createFlowMemory } from '#db/rows/flow-memory.ts'
import { findSession } from '#db/rows/sessions.ts'
import { openScope } from '#db/scope.ts'
import { openPostgres } from '#platform/node/postgres.ts'
import type { TreeStructure } from '#rules/flows/structure.ts'
import { sharedService } from '#test/support/app.ts'
import { createAccount } from '#test/support/people.ts'
import { createSession } from '#test/support/sessions.ts'

const createFlow = (flow_state: string, characters: number) => ({
  flow_state,
  tree_structure: { id: 'a', type: 'solution', title: 'x'.repeat(characters) } as TreeStructure,
  intake_form: [],
})

it('SES-73 a process remembers flows up to a size, and forgets what was used longest ago', () => {
  const memory = createFlowMemory({ maxCharacters: 4000 })
  const [first, second, third, fourth] = ['1', '2', '3', '4'].map((state) => createFlow(state, 900))
  if (!first || !second || !third || !fourth) throw new Error('There are four')
  memory.remember('a', first)
  memory.remember('b', second)
  memory.remember('c', third)
  memory.remember('d', third)
  expect(memory.find('a')).toBe(first)
  memory.remember('e', fourth)
  memory.remember('f', createFlow('5', 900))
  expect(['a', 'b', 'c', 'd', 'e', 'f'].filter((session) => memory.find(session))).toEqual([
    'a',
    'c',
    'd',
    'e',
    'f',
  ])
  memory.remember('g', createFlow('6', 4001))
  expect(memory.find('g')).toBeUndefined()
  expect(() => Object.assign(first.tree_structure, { title: 'other' })).toThrow(TypeError)
})

it('SES-73 a session is read with its flow once, and again when an operator has changed the flow', async () => {
  const service = await sharedService()
  const { admin, id: accountId } = await createAccount(service)
  const session = await createSession(admin)
  const database = openPostgres({ url: service.settings.DATABASE_URL ?? '', maxConnections: 2 })
  onTestFinished(() => database.close())
  const caller = { userId: admin.id, accountId, signInId: admin.signInId }
  const options = { caller, access: 'engineer', skipGuards: 'none', ip: '', readOnly: true } as const
  const { db } = openScope(database, options, () => {})

  const first = await findSession(db, session.id)
  const second = await findSession(db, session.id)
  expect(second).toEqual(first)
  expect(second?.tree_structure).toBe(first?.tree_structure)
  await service.sql(`update tree_versions set intake_form = '[{"key": "host"}]' where tree_id = $1`, [
    session.tree_id,
  ])
  const third = await findSession(db, session.id)
  expect(third).toEqual({ ...first, intake_form: [{ key: 'host' }] })
})
