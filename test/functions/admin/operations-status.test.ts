import { describe, expect, it } from 'vitest'
import { get } from '#functions/admin/operations/service.ts'

const state = {
  schedules_due: 2,
  oldest_due_seconds: 7,
  slow_statements: null,
  migration: null,
  postgresql: '18.1',
}
const checks = async () => ({ checks: { database: 'ok' }, warnings: ['w'] })
const read = (row: object | undefined, checkDependencies: unknown = checks) =>
  get({
    platform: { batch: async () => [[{ outbox: 'pushes' }], row ? [row] : [], [{ webhook_id: 'w' }]] },
    config: { VERSION: 'v1' },
    checkDependencies,
  } as never)

describe('the state of the service', () => {
  it('OBS-11 has neither statements nor a migration where the database knows none', async () => {
    expect(await read(state)).toEqual({
      dependencies: { database: 'ok' },
      warnings: ['w'],
      backlogs: [{ outbox: 'pushes' }],
      schedules: { due: 2, oldest_due_seconds: 7 },
      failing_webhooks: [{ webhook_id: 'w' }],
      slow_statements: null,
      versions: { service: 'v1', migration: 'none', postgresql: '18.1' },
    })
  })
  it('OBS-11 names slow statements without their text', async () => {
    const measured = { query_id: 'q', calls: 3, mean_ms: 1.5, total_ms: 4.5 }
    const { slow_statements, versions } = await read({
      ...state,
      migration: '0001_start',
      slow_statements: [{ ...measured, text: 'update trees set name = $1' }],
    })
    expect(slow_statements).toEqual([{ ...measured, name: 'update trees' }])
    expect(versions.migration).toBe('0001_start')
  })
  it.each([
    ['a row of the database', undefined, checks],
    ['a check of its dependencies', state, null],
  ])('OBS-11 cannot be read without %s', async (_, row, check) => {
    await expect(read(row, check)).rejects.toMatchObject({ kind: 'internal', status: 500 })
  })
})
