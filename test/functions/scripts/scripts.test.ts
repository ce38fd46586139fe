import { describe, expect, it } from 'vitest'
import { expectStatus } from '../../support/answers.ts'
import { shared } from '../../support/app.ts'
import { newAccount, type Person } from '../../support/people.ts'

const service = shared()
const parameters = [{ name: 'service', label: 'Service', type: 'string', required: true }]
const body = {
  name: 'Restart a service',
  language: 'bash',
  script_body: 'systemctl restart {{ service }}\n',
  parameters_schema: parameters,
}
const make = async (person: Person, change: Record<string, unknown> = {}) => {
  const answer = await person.call('POST', '/script-templates', { ...body, ...change })
  if (answer.status !== 201) throw new Error(answer.text)
  return answer.body
}
const names = async (person: Person, query: string) =>
  (await person.call('GET', `/script-templates?${query}`)).body.map(({ name }: { name: string }) => name)

describe('the script library', () => {
  it('SCR-01 gives every template an address of its own, and keeps it', async () => {
    const [one, two] = [await newAccount(service), await newAccount(service)]
    const made = await Promise.all([...Array(16).keys()].flatMap(() => [make(one.admin), make(two.admin)]))
    const slugs = made.map(({ slug }) => slug)
    expect(new Set(slugs).size).toBe(32)
    expect(slugs.every((slug) => /^restart-a-service-[a-z0-9]{6}$/.test(slug))).toBe(true)
    const renamed = await one.admin.call('PUT', `/script-templates/${made[0].id}`, { name: 'Something else' })
    expect([renamed.status, renamed.body.name, renamed.body.slug]).toEqual([200, 'Something else', made[0].slug])
  })

  it('SCR-02 knows three languages and no other', async () => {
    const { admin } = await newAccount(service)
    for (const language of ['powershell', 'bash', 'python'])
      expect((await make(admin, { language, script_body: 'x = {{ service }}' })).language).toBe(language)
    expectStatus(await admin.call('POST', '/script-templates', { ...body, language: 'perl' }), 422)
  })

  it('SCR-03 SCR-15 filters by mine and by shared, and shows a team’s script outside the team only when it is shared', async () => {
    const account = await newAccount(service)
    const [maker, teammate, stranger] = [await account.colleague(), await account.colleague(), await account.colleague({ teamId: null })]
    const [kept, given] = [await make(maker, { name: 'Kept' }), await make(teammate, { name: 'Given' })]
    const shareOf = (person: Person, id: string) => person.call('POST', `/script-templates/${id}/share`)
    expectStatus(await shareOf(maker, given.id), 403)
    expect((await shareOf(account.admin, given.id)).body.is_shared).toBe(true)
    expect([await names(maker, 'mine=true'), await names(maker, 'mine=false'), await names(maker, '')]).toEqual([
      ['Kept'],
      ['Given'],
      ['Given', 'Kept'],
    ])
    expect([await names(maker, 'shared=true'), await names(maker, 'shared=false')]).toEqual([['Given'], ['Kept']])
    expect(await names(stranger, '')).toEqual(['Given'])
    expectStatus(await stranger.call('GET', `/script-templates/${kept.id}`), 404)
    expectStatus(await stranger.call('PUT', `/script-templates/${given.id}`, { name: 'x' }), 403)
    await account.admin.call('POST', `/script-templates/${given.id}/share`, { is_shared: false })
    expectStatus(await stranger.call('GET', `/script-templates/${given.id}`), 404)
  })

  it('finds by language, category and words taken literally', async () => {
    const { admin } = await newAccount(service)
    const category = (await admin.call('POST', '/script-templates/categories', { name: 'Windows' })).body
    await make(admin, { name: 'Clear 100% of temp', category_id: category.id })
    await make(admin, { name: 'Clear 1000 logs', language: 'python', script_body: 'x = {{ service }}' })
    expect(await names(admin, 'search=100%25')).toEqual(['Clear 100% of temp'])
    expect(await names(admin, 'language=python')).toEqual(['Clear 1000 logs'])
    expect(await names(admin, 'category=WINDOWS')).toEqual(['Clear 100% of temp'])
    expect((await admin.call('GET', '/script-templates/categories')).body).toEqual([{ ...category, count: 1 }])
    const again = await admin.call('POST', '/script-templates/categories', { name: 'windows' })
    expect([again.status, again.body.code]).toEqual([409, 'name_taken'])
    const unknown = await admin.call('POST', '/script-templates', { ...body, category_id: crypto.randomUUID() })
    expect([unknown.status, unknown.body.errors[0].loc]).toEqual([422, ['body', 'category_id']])
  })

  it('SCR-13 refuses a placeholder where no value is safe, with its line, also when only the language changes', async () => {
    const { admin } = await newAccount(service)
    const script_body = 'echo {{ service }}\necho "{{ service }}"\n# {{ service }}\necho {{ other }}\n'
    const { status, body: refused } = await admin.call('POST', '/script-templates', { ...body, script_body })
    expect([status, refused.errors.map(({ loc, msg }: { loc: string[]; msg: string }) => [loc.join('.'), msg.slice(0, 40)])]).toEqual([
      422,
      [
        ['body.script_body', 'Line 2: {{ service }} stands in a quoted'],
        ['body.script_body', 'Line 3: {{ service }} stands in a commen'],
        ['body.script_body', 'Line 4: {{ other }} is no parameter of t'],
      ],
    ])
    const made = await make(admin, { language: 'powershell', script_body: 'Get-Item ‘a’ {{ service }}' })
    expectStatus(await admin.call('PUT', `/script-templates/${made.id}`, { parameters_schema: [] }), 422)
    expect((await admin.call('GET', `/script-templates/${made.id}`)).body).toEqual(made)
  })

  it('refuses a schema that makes no sense', async () => {
    const { admin } = await newAccount(service)
    const of = async (...schema: object[]) => {
      const answer = await admin.call('POST', '/script-templates', { ...body, parameters_schema: [...parameters, ...schema] })
      return [answer.status, answer.body.errors?.[0]?.loc?.slice(2)]
    }
    const named = { name: 'x', label: 'X', type: 'string' }
    expect(await of(named, named)).toEqual([422, [2, 'name']])
    expect(await of({ ...named, type: 'choice' })).toEqual([422, [1, 'choices']])
    expect(await of({ ...named, type: 'int', default: 'a' })).toEqual([422, [1, 'default']])
    expect(await of({ ...named, pattern: '(' })).toEqual([422, [1, 'pattern']])
    expect(await of({ ...named, min: 5, max: 2 })).toEqual([422, [1, 'min']])
    expect(await of({ ...named, name: 'Big' })).toEqual([422, [1, 'name']])
  })
})

describe('a filled-in script', () => {
  it('SCR-04 holds every value as a literal, and says what to mind and how to save it', async () => {
    const { admin } = await newAccount(service)
    const all = [
      ...parameters,
      { name: 'secret', label: 'Secret', type: 'password' },
      { name: 'count', label: 'Count', type: 'int', default: 3 },
      { name: 'unused', label: 'Unused', type: 'bool' },
    ]
    const script_body = 'a {{ service | upper }} {{ secret }} {{ count }}\n'
    const made = await make(admin, { parameters_schema: all, script_body, requires_elevation: true, name: 'Réstart / it' })
    const { status, body: given } = await admin.call('POST', `/script-templates/${made.id}/generate`, {
      parameters: { service: "it's; rm", secret: '$(id)' },
    })
    expect([status, given]).toEqual([
      200,
      {
        script: "a 'IT'\\''S; RM' '$(id)' 3\n",
        language: 'bash',
        requires_elevation: true,
        warnings: [
          'It needs administrator rights',
          'Unused is asked for and not used',
          'The script holds Secret in the clear: do not keep it',
        ],
        filename: 'restart-it.sh',
      },
    ])
  })

  it('SCR-14 is refused with every value that is missing, unknown or wrong, each by its name', async () => {
    const { admin } = await newAccount(service)
    const all = [
      { name: 'a', label: 'A', type: 'string', required: true },
      { name: 'b', label: 'B', type: 'int', min: 1, max: 5 },
      { name: 'c', label: 'C', type: 'choice', choices: ['x', 'y'] },
      { name: 'd', label: 'D', type: 'string', pattern: '[a-z]+' },
      { name: 'e', label: 'E', type: 'hostname' },
      { name: 'f', label: 'F', type: 'bool' },
      { name: 'g', label: 'G', type: 'string', max: 3 },
      { name: 'h', label: 'H', type: 'path' },
    ]
    const made = await make(admin, { parameters_schema: all, script_body: 'echo {{ a }}' })
    const generate = (given: object) => admin.call('POST', `/script-templates/${made.id}/generate`, { parameters: given })
    const wrong = await generate({ b: 9, c: 'z', d: 'a1', e: '-x', f: 'yes', g: 'long', h: 'a\nb', z: 1 })
    expect([wrong.status, wrong.body.errors.map(({ loc, msg }: { loc: string[]; msg: string }) => `${loc[2]}: ${msg}`)]).toEqual([
      422,
      [
        'a: A is required',
        'b: B must be at most 5',
        'c: C must be one of: x, y',
        'd: D does not match its pattern',
        'e: E must be a host name',
        'f: F must be true or false',
        'g: G must have at most 3 characters',
        'h: H must be a path on one line',
        'z: This script has no such parameter',
      ],
    ])
    expectStatus(await generate({ a: 'x', b: 5, c: 'y', d: 'abc', e: 'srv-1.example', f: true, g: 'abc', h: '/opt/x' }), 200)
    expectStatus(await generate({ a: 5 }), 422)
  })

  it('is made from a script the whole account sees, by engineers alone', async () => {
    const account = await newAccount(service)
    const [viewer, stranger] = [await account.colleague({ role: 'viewer' }), await account.colleague({ teamId: null })]
    const made = await make(account.admin)
    const generate = (who: Person) => who.call('POST', `/script-templates/${made.id}/generate`, { parameters: { service: 'x' } })
    expect([(await generate(viewer)).status, (await generate(stranger)).status]).toEqual([403, 404])
    await account.admin.call('POST', `/script-templates/${made.id}/share`)
    expectStatus(await generate(stranger), 200)
  })
})
