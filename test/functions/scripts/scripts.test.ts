import { describe, expect, it } from 'vitest'
import { sharedService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount, type Person } from '#test/support/people.ts'

const service = await sharedService()
const parameters = [{ name: 'service', label: 'Service', type: 'string', required: true }]
const scriptFields = {
  name: 'Restart a service',
  language: 'bash',
  script_body: 'systemctl restart {{ service }}\n',
  parameters_schema: parameters,
}
const createScript = async (person: Person, fields: Record<string, unknown> = {}) => {
  const response = await person.call('POST', '/script-templates', { ...scriptFields, ...fields })
  return expectStatus(response, 201).body
}
const listNames = async (person: Person, query: string) =>
  (await person.call('GET', `/script-templates?${query}`)).body.map(({ name }: { name: string }) => name)

describe('the script library', () => {
  it.each(['打印机 故障', 'हिन्दी', 'Ölwechsel Süd', '!?', 'Com¹'])(
    'SCR-01 gives the template %s a slug of its letters',
    async (name) => {
      const { admin } = await createAccount(service)
      const { slug } = await createScript(admin, { name })
      expect(slug).toMatch(/^(?:打印机-故障|हिन्दी|ölwechsel-süd|script|script-com1)-[a-z0-9]{6}$/)
    },
  )

  it('SCR-01 gives every template a unique slug that never changes', async () => {
    const [first, second] = [await createAccount(service), await createAccount(service)]
    const scripts = await Promise.all(
      [...Array(16).keys()].flatMap(() => [createScript(first.admin), createScript(second.admin)]),
    )
    const slugs = scripts.map(({ slug }) => slug)
    expect(new Set(slugs).size).toBe(32)
    expect(slugs.every((slug) => /^restart-a-service-[a-z0-9]{6}$/.test(slug))).toBe(true)
    const renamed = await first.admin.call('PUT', `/script-templates/${scripts[0].id}`, {
      name: 'Something else',
    })
    expect([renamed.status, renamed.body.name, renamed.body.slug]).toEqual([
      200,
      'Something else',
      scripts[0].slug,
    ])
  })

  it('SCR-02 accepts only PowerShell, Bash and Python', async () => {
    const { admin } = await createAccount(service)
    for (const language of ['powershell', 'bash', 'python'])
      expect((await createScript(admin, { language, script_body: 'x = {{ service }}' })).language).toBe(
        language,
      )
    expectStatus(await admin.call('POST', '/script-templates', { ...scriptFields, language: 'perl' }), 422)
  })

  it('SCR-03 SCR-15 filters by mine and shared, and returns a script to users outside its team only while it is shared', async () => {
    const account = await createAccount(service)
    const [creator, teammate, outsider] = [
      await account.addColleague(),
      await account.addColleague(),
      await account.addColleague({ teamId: null }),
    ]
    const [unshared, shared] = [
      await createScript(creator, { name: 'Unshared' }),
      await createScript(teammate, { name: 'Shared' }),
    ]
    const share = (person: Person, id: string) => person.call('POST', `/script-templates/${id}/share`)
    expectStatus(await share(creator, shared.id), 403)
    expect((await share(account.admin, shared.id)).body.is_shared).toBe(true)
    expect([
      await listNames(creator, 'mine=true'),
      await listNames(creator, 'mine=false'),
      await listNames(creator, ''),
    ]).toEqual([['Unshared'], ['Shared'], ['Shared', 'Unshared']])
    expect([await listNames(creator, 'shared=true'), await listNames(creator, 'shared=false')]).toEqual([
      ['Shared'],
      ['Unshared'],
    ])
    expect(await listNames(outsider, '')).toEqual(['Shared'])
    expectStatus(await outsider.call('GET', `/script-templates/${unshared.id}`), 404)
    expectStatus(await outsider.call('PUT', `/script-templates/${shared.id}`, { name: 'x' }), 403)
    await account.admin.call('POST', `/script-templates/${shared.id}/share`, { is_shared: false })
    expectStatus(await outsider.call('GET', `/script-templates/${shared.id}`), 404)
  })

  it('finds scripts by language, category and literal words, and rejects a duplicate or unknown category', async () => {
    const { admin } = await createAccount(service)
    const category = (await admin.call('POST', '/script-templates/categories', { name: 'Windows' })).body
    await createScript(admin, { name: 'Clear 100% of temp', category_id: category.id })
    await createScript(admin, {
      name: 'Clear 1000 logs',
      language: 'python',
      script_body: 'x = {{ service }}',
    })
    expect(await listNames(admin, 'search=100%25')).toEqual(['Clear 100% of temp'])
    expect(await listNames(admin, 'language=python')).toEqual(['Clear 1000 logs'])
    expect(await listNames(admin, 'category=WINDOWS')).toEqual(['Clear 100% of temp'])
    expect((await admin.call('GET', '/script-templates/categories')).body).toEqual([
      { ...category, count: 1 },
    ])
    const duplicate = await admin.call('POST', '/script-templates/categories', { name: 'windows' })
    expect([duplicate.status, duplicate.body.code]).toEqual([409, 'name_taken'])
    const unknown = await admin.call('POST', '/script-templates', {
      ...scriptFields,
      category_id: crypto.randomUUID(),
    })
    expect([unknown.status, unknown.body.errors[0].loc]).toEqual([422, ['body', 'category_id']])
  })

  it('SCR-13 rejects placeholders where no value is safe and returns their lines, also when only the parameters change', async () => {
    const { admin } = await createAccount(service)
    const script_body = 'echo {{ service }}\necho "{{ service }}"\n# {{ service }}\necho {{ other }}\n'
    const { status, body: problem } = await admin.call('POST', '/script-templates', {
      ...scriptFields,
      script_body,
    })
    expect([
      status,
      problem.errors.map(({ loc, msg }: { loc: string[]; msg: string }) => [loc.join('.'), msg.slice(0, 40)]),
    ]).toEqual([
      422,
      [
        ['body.script_body', 'Line 2: {{ service }} is inside a quoted'],
        ['body.script_body', 'Line 3: {{ service }} is inside a commen'],
        ['body.script_body', 'Line 4: {{ other }} is not a parameter o'],
      ],
    ])
    const script = await createScript(admin, {
      language: 'powershell',
      script_body: 'Get-Item ‘a’ {{ service }}',
    })
    expectStatus(await admin.call('PUT', `/script-templates/${script.id}`, { parameters_schema: [] }), 422)
    expect((await admin.call('GET', `/script-templates/${script.id}`)).body).toEqual(script)
  })

  it('rejects an inconsistent parameter schema', async () => {
    const { admin } = await createAccount(service)
    const createWithParameters = async (...schema: object[]) => {
      const response = await admin.call('POST', '/script-templates', {
        ...scriptFields,
        parameters_schema: [...parameters, ...schema],
      })
      return [response.status, response.body.errors?.[0]?.loc?.slice(2)]
    }
    const parameter = { name: 'x', label: 'X', type: 'string' }
    expect(await createWithParameters(parameter, parameter)).toEqual([422, [2, 'name']])
    expect(await createWithParameters({ ...parameter, type: 'choice' })).toEqual([422, [1, 'choices']])
    expect(await createWithParameters({ ...parameter, type: 'int', default: 'a' })).toEqual([
      422,
      [1, 'default'],
    ])
    expect(await createWithParameters({ ...parameter, pattern: '(' })).toEqual([422, [1, 'pattern']])
    expect(await createWithParameters({ ...parameter, min: 5, max: 2 })).toEqual([422, [1, 'min']])
    expect(await createWithParameters({ ...parameter, name: 'Big' })).toEqual([422, [1, 'name']])
  })
})

describe('a rendered script', () => {
  it('SCR-04 contains every value as a literal, and is returned with warnings and a file name', async () => {
    const { admin } = await createAccount(service)
    const parameterSchema = [
      ...parameters,
      { name: 'secret', label: 'Secret', type: 'password' },
      { name: 'count', label: 'Count', type: 'int', default: 3 },
      { name: 'unused', label: 'Unused', type: 'bool' },
    ]
    const script_body = 'a {{ service | upper }} {{ secret }} {{ count }}\n'
    const template = await createScript(admin, {
      parameters_schema: parameterSchema,
      script_body,
      requires_elevation: true,
      name: 'Réstart / it',
    })
    const { status, body: rendered } = await admin.call('POST', `/script-templates/${template.id}/generate`, {
      parameters: { service: "it's; rm", secret: '$(id)' },
    })
    expect([status, rendered]).toEqual([
      200,
      {
        script: "a 'IT'\\''S; RM' '$(id)' 3\n",
        language: 'bash',
        requires_elevation: true,
        warnings: [
          'The script needs administrator rights',
          'The script does not use Unused',
          'The script contains Secret as plain text; do not store the script',
        ],
        filename: 'réstart-it.sh',
      },
    ])
  })

  it('SCR-17 is refused for a value that its command would read as an option', async () => {
    const { admin } = await createAccount(service)
    const parameters_schema = [{ name: 'host', label: 'Host', type: 'string' }]
    const { id } = await createScript(admin, { parameters_schema, script_body: 'ssh {{ host }} uptime' })
    const generate = (host: string) =>
      admin.call('POST', `/script-templates/${id}/generate`, { parameters: { host } })
    const { status, body } = await generate('-oProxyCommand=id')
    expect([status, body.errors]).toEqual([
      422,
      [
        {
          loc: ['body', 'parameters', 'host'],
          msg: 'must not start with a dash, because ssh would read it as an option',
          type: 'parameter',
        },
      ],
    ])
    expectStatus(await generate('srv-1'), 200)
  })

  it('SCR-14 is refused with one error for each missing, unknown or invalid value', async () => {
    const { admin } = await createAccount(service)
    const parameterSchema = [
      { name: 'a', label: 'A', type: 'string', required: true },
      { name: 'b', label: 'B', type: 'int', min: 1, max: 5 },
      { name: 'c', label: 'C', type: 'choice', choices: ['x', 'y'] },
      { name: 'd', label: 'D', type: 'string', pattern: '[a-z]+' },
      { name: 'e', label: 'E', type: 'hostname' },
      { name: 'f', label: 'F', type: 'bool' },
      { name: 'g', label: 'G', type: 'string', max: 3 },
      { name: 'h', label: 'H', type: 'path' },
    ]
    const template = await createScript(admin, {
      parameters_schema: parameterSchema,
      script_body: 'echo {{ a }}',
    })
    const generate = (values: object) =>
      admin.call('POST', `/script-templates/${template.id}/generate`, { parameters: values })
    const invalid = await generate({ b: 9, c: 'z', d: 'a1', e: '-x', f: 'yes', g: 'long', h: 'a\nb', z: 1 })
    expect([
      invalid.status,
      invalid.body.errors.map(({ loc, msg }: { loc: string[]; msg: string }) => `${loc[2]}: ${msg}`),
    ]).toEqual([
      422,
      [
        'a: is required',
        'b: must be at most 5',
        'c: must be one of: x, y',
        'd: must match its pattern',
        'e: must be a host name',
        'f: must be true or false',
        'g: must have at most 3 characters',
        'h: must be a path on one line',
        'z: is not a parameter of this script',
      ],
    ])
    expectStatus(
      await generate({ a: 'x', b: 5, c: 'y', d: 'abc', e: 'srv-1.example', f: true, g: 'abc', h: '/opt/x' }),
      200,
    )
    expectStatus(await generate({ a: 5 }), 422)
  })

  it('is returned only to engineers who can see the template', async () => {
    const account = await createAccount(service)
    const [viewer, outsider] = [
      await account.addColleague({ role: 'viewer' }),
      await account.addColleague({ teamId: null }),
    ]
    const template = await createScript(account.admin)
    const generate = (person: Person) =>
      person.call('POST', `/script-templates/${template.id}/generate`, { parameters: { service: 'x' } })
    expect([(await generate(viewer)).status, (await generate(outsider)).status]).toEqual([403, 404])
    await account.admin.call('POST', `/script-templates/${template.id}/share`)
    expectStatus(await generate(outsider), 200)
  })
})
