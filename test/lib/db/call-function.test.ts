import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { callFunction, toCallStatement } from '#db/call-function.ts'
import { queryBuilder } from '#db/statement.ts'

const compile = (call: ReturnType<typeof callFunction>) => {
  const { sql: text, parameters } = sql`select ${call}`.compile(queryBuilder)
  return [text, parameters]
}

it('a SQL function is called with its arguments by name, which can be SQL expressions', () => {
  const call = callFunction('app.find_sessions', {
    p_limit: 10,
    p_skip: 0,
    p_filters: sql`'{}'`,
    p_after_at: null,
  })
  expect(compile(call)).toEqual([
    "select app.find_sessions(p_limit => $1, p_skip => $2, p_filters => '{}', p_after_at => $3)",
    [10, 0, null],
  ])
  expect(compile(callFunction('app.count_ai_build', {}))).toEqual(['select app.count_ai_build()', []])
})

it('a statement that only calls a function has its arguments by name', () => {
  expect(toCallStatement('app.enter_account', { p_actor: null, p_account: 'a' })).toEqual({
    sql: 'select app.enter_account(p_actor => $1, p_account => $2)',
    parameters: [null, 'a'],
  })
})

it('a misspelled, missing or wrong argument does not compile', () => {
  const calls = [
    // @ts-expect-error p_limit is missing
    callFunction('app.find_sessions', { p_filters: {}, p_skip: 0 }),
    // @ts-expect-error p_filter is misspelled
    callFunction('app.find_sessions', { p_filters: {}, p_skip: 0, p_limit: 1, p_filter: {} }),
    // @ts-expect-error p_skip is a number
    callFunction('app.find_sessions', { p_filters: {}, p_skip: '0', p_limit: 1 }),
    // @ts-expect-error there is no such function
    callFunction('app.find_session', {}),
  ]
  expect(calls).toHaveLength(4)
})
