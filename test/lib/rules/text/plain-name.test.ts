import { expect, it } from 'vitest'
import { defuseLinks, removeLinks, toPlainName } from '#rules/text/plain-name.ts'

it.each([
  ['log in at https://evil.example/login', 'log in at [link]'],
  ['log in at HTTPS://EVIL.EXAMPLE now', 'log in at [link] now'],
  ['see www.evil.example/a?b', 'see [link]'],
  ['see evil.example:8080/a', 'see [link]'],
  ['see ht\u200btps://evil.example', 'see [link]'],
  ['Dana\r\nBcc: x\u0000\u2028y', 'Dana Bcc: x y'],
  ['Dana\u202etxt.exe', 'Danatxt.exe'],
  ['DC01.corp.local is away and/or slow', 'DC01.corp.local is away and/or slow'],
])('NOT-58 removes links and control characters from %j', (text, expected) => {
  expect(removeLinks(text)).toBe(expected)
})

it.each([
  ['Salesforce.com', 'Salesforce com'],
  ['J.R. Smith', 'J.R. Smith'],
  ['Anne-Marie O’Neil 👩‍💻', 'Anne-Marie O’Neil 👩‍💻'],
  ['x'.repeat(200), `${'x'.repeat(79)}…`],
  ['\u200b', ''],
])('NOT-58 converts the name %j', (name, expected) => {
  expect(toPlainName(name)).toBe(expected)
})

it('NOT-58 writes links so that they stay readable and no mail client makes them clickable', () => {
  const text = 'At https://evil.example/login,\nwww.evil.example or evil.example/a; DC01.corp.local'
  expect(defuseLinks(text)).toBe(
    'At https[:]//evil[.]example/login,\nwww[.]evil[.]example or evil[.]example/a; DC01.corp.local',
  )
})

it.each([
  ['a', 'letters'],
  ['a.', 'labels'],
  ['a-', 'hyphens'],
  ['a:/', 'schemes'],
  ['\u0301', 'marks'],
])('NOT-58 takes linear time for a text that repeats %j (%s)', { retry: 2 }, (unit) => {
  const measure = (count: number) => {
    const text = unit.repeat(count)
    const started = process.cpuUsage()
    removeLinks(text)
    defuseLinks(text)
    const { user, system } = process.cpuUsage(started)
    return (user + system) / 1000
  }
  measure(1000)
  expect(measure(200_000)).toBeLessThan(1000)
})
