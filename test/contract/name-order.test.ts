import { expect, it } from 'vitest'
import { sharedService } from '#test/support/app.ts'
import { createFlow } from '#test/support/flows.ts'
import { createAccount, type Person } from '#test/support/people.ts'

const service = await sharedService()
const names = ['Zebra', 'ärger', 'Über', 'apfel', 'Öl', 'Nagel']
const sorted = ['apfel', 'ärger', 'Nagel', 'Öl', 'Über', 'Zebra']

const createByPath: Record<string, (person: Person, name: string) => Promise<unknown>> = {
  '/trees?sort_by=name': (person, name) => createFlow(person, { name }),
  '/categories': (person, name) => person.call('POST', '/categories', { name }),
  '/teams': (person, name) => person.call('POST', '/teams', { name }),
  '/target-lists/': (person, name) =>
    person.call('POST', '/target-lists/', { name, targets: [{ label: 'PC' }] }),
  '/escalation-policies': (person, name) =>
    person.call('POST', '/escalation-policies', {
      name,
      steps: [{ delay_minutes: 1, targets: [{ type: 'user', id: person.id }] }],
    }),
  '/on-call-schedules': (person, name) =>
    person.call('POST', '/on-call-schedules', { name, timezone: 'UTC' }),
  '/script-templates': (person, name) =>
    person.call('POST', '/script-templates', { name, language: 'bash', script_body: 'true' }),
  '/script-templates/categories': (person, name) =>
    person.call('POST', '/script-templates/categories', { name }),
  '/device-types?category=storage': (person, name) =>
    person.call('POST', '/device-types', { name, category: 'storage' }),
}

it.each(Object.entries(createByPath))('WIR-39 %s sorts names as people do', async (path, create) => {
  const { admin } = await createAccount(service)
  for (const name of names) await create(admin, name)
  const { status, body } = await admin.call('GET', path)
  expect([
    status,
    body.map(({ name }: { name: string }) => name).filter((name: string) => names.includes(name)),
  ]).toEqual([200, sorted])
})
