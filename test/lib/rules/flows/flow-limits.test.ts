import { describe, expect, it } from 'vitest'
import { defaultExpiryMinutes } from '#rules/flows/approval-requirement.ts'
import { listLinks } from '#rules/flows/health/links.ts'
import * as thresholds from '#rules/flows/health/thresholds.ts'
import { createStep } from '#test/support/flow-nodes.ts'

it('HEA-01 a flow is judged by these thresholds', () => {
  expect({ ...thresholds }).toEqual({
    periodDays: 90,
    minSessions: 20,
    lowSuccessRate: 0.5,
    highSkipRate: 0.5,
    minLinkFailures: 2,
  })
})

it('an approval is valid for an hour by default', () => {
  expect(defaultExpiryMinutes).toBe(60)
})

describe('HEA-09 listLinks', () => {
  const list = (description: string) =>
    listLinks({ steps: [createStep('a', { description })] }).map(({ url }) => url)

  it.each([
    ['https://a.example/x.', ['https://a.example/x']],
    ['https://a.example/x?!*_~', ['https://a.example/x']],
    ['(https://a.example/x)', ['https://a.example/x']],
    ['https://a.example/(x)', ['https://a.example/(x)']],
    ['(https://a.example/(x)).', ['https://a.example/(x)']],
    ['https://a.example/x))', ['https://a.example/x']],
    ['https://a.example/{{ id }}', []],
    ['HTTP://a.example', ['HTTP://a.example']],
    ['https://', []],
    ['https://a.example https://a.example', ['https://a.example']],
  ])('finds in %j the links %j', (description, urls) => {
    expect(list(description)).toEqual(urls)
  })

  it('finds links of at most 2,000 characters, and at most 50', () => {
    const createLink = (length: number) => `https://a.example/${'x'.repeat(length - 18)}`
    expect(list(`${createLink(2000)} ${createLink(2001)}`)).toEqual([createLink(2000)])
    expect(list(Array.from({ length: 51 }, (_, n) => `https://a.example/${n}`).join(' '))).toHaveLength(50)
  })

  it('names the first step with the link', () => {
    const steps = ['a', 'b'].map((id) => createStep(id, { title: 'See https://a.example' }))
    expect(listLinks({ steps })).toEqual([{ step_id: 'a', url: 'https://a.example' }])
  })
})
