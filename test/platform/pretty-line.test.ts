import { expect, it } from 'vitest'
import { formatPretty } from '#platform/node/pretty-line.ts'

const at = '2026-11-02T08:15:30.123Z'

it('OBS-20 the pretty log has one line per line, with time, level and what happened first', () => {
  const request = {
    at,
    level: 'info',
    method: 'GET',
    operation: 'flows.trees.list',
    status: 200,
    ms: 12,
    user_id: null,
    request_id: 'r1',
  }
  expect(formatPretty(request)).toBe('08:15:30.123 INFO  GET flows.trees.list 200 12 ms request_id=r1')
  expect(
    formatPretty({ at, level: 'error', dependency: 'redis', answers: false, error: { name: 'A b' } }),
  ).toBe('08:15:30.123 ERROR dependency=redis answers=false error={"name":"A b"}')
  expect(
    formatPretty({
      level: 'info',
      method: 'GET',
      operation: null,
      path: '/\u001b[2J\n',
      status: 404,
      ms: 1,
      text: 'a b',
    }),
  ).toMatch(/^\d\d:\d\d:\d\d\.\d{3} INFO {2}GET "\/\\u001b\[2J\\n" 404 1 ms text="a b"$/)
})
