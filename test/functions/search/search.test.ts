import { describe, expect, it } from 'vitest'
import { openScope } from '#db/scope.ts'
import { selectResults } from '#functions/search/queries.ts'
import { createAiSession } from '#test/support/ai.ts'
import { sharedService } from '#test/support/app.ts'
import { claimHandoff, escalateSession } from '#test/support/escalations.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createFlow, patchProcedure } from '#test/support/flows.ts'
import { createAccount, type Person, type TestAccount } from '#test/support/people.ts'
import { explainStatements, totalRowsRead } from '#test/support/query-plans.ts'
import { createSession } from '#test/support/sessions.ts'

const service = await sharedService()

interface Marked {
  text: string
  marks: { start: number; end: number }[]
}
interface Result {
  type: string
  id: string
  step_id: string | null
  title: Marked
  snippet: Marked
  tree_id: string | null
  ticket_number: string | null
}
const find = async (person: Person, q: string, query: Record<string, string> = {}): Promise<Result[]> => {
  const response = await person.call('GET', `/search?${new URLSearchParams({ q, ...query })}`)
  return expectStatus(response, 200).body.results
}
const findIds = async (person: Person, q: string, types?: string) =>
  (await find(person, q, types ? { types } : {})).map(({ id }) => id)
const listMarked = ({ text, marks }: Marked) => marks.map(({ start, end }) => text.slice(start, end))

const scriptFields = { name: 'Quokka restart', language: 'bash', script_body: 'systemctl restart cups\n' }
const node = {
  id: 'fw1',
  type: 'security',
  position: { x: 0, y: 0 },
  data: { label: 'QUOKKA-FW', ip: '10.77.0.1' },
}

/** Create one of each thing that a search finds, all about a quokka. */
async function createOfEachType({ admin }: TestAccount) {
  const create = async (path: string, body: unknown) =>
    expectStatus(await admin.call('POST', path, body), 201).body
  const structure = patchProcedure()
  if (structure.steps[1]) structure.steps[1].title = 'Feed the quokka'
  const flow = await createFlow(admin, {
    name: 'Quokka offline',
    tree_type: 'procedural',
    tree_structure: structure,
    intake_form: [],
  })
  const session = await createSession(admin, {
    tree_id: flow.id,
    client_name: 'Quokka Ltd',
    ticket_number: 'T20261122.0042',
    variables: {},
  })
  return {
    flow: flow.id,
    step: flow.id,
    library_step: (await create('/step-library', { title: 'Wash the quokka', description: '' })).id,
    script: (await create('/script-templates', scriptFields)).id,
    session: session.id,
    ai_session: (await createAiSession(admin, { problem_summary: 'The quokka does not answer' })).id,
    article: (
      await create('/kb-imports', { title: 'Quokka handbook', content: 'Treat it well.', format: 'text' })
    ).id,
    diagram: (
      await create('/network-diagrams', {
        name: 'Head office',
        client_name: 'Contoso',
        nodes: [node],
        edges: [],
      })
    ).id,
  }
}

describe('a search', () => {
  it('SEA-01 finds flows, steps, library steps, scripts, sessions, AI sessions, articles and diagrams, with their ids and links', async () => {
    const account = await createAccount(service)
    const ids = await createOfEachType(account)
    const results = await find(account.admin, 'quokka')
    expect(Object.fromEntries(results.map(({ type, id }) => [type, id]))).toEqual(ids)
    expect(results.find(({ type }) => type === 'step')).toMatchObject({
      step_id: 'snapshot',
      tree_id: ids.flow,
      tree_name: 'Quokka offline',
    })
    expect(results.find(({ type }) => type === 'session')).toMatchObject({
      title: { text: 'Quokka offline' },
      tree_id: ids.flow,
      ticket_number: 'T20261122.0042',
      client_name: 'Quokka Ltd',
    })
    expect(await find(account.admin, 'quokka', { types: 'script,diagram' })).toHaveLength(2)
    expect(await find(account.admin, 'quokka', { limit: '3' })).toHaveLength(3)
    for (const query of ['q=', 'q=a&types=ticket', 'q=a&types=', 'q=a&limit=51', 'types=flow'])
      expectStatus(await account.admin.call('GET', `/search?${query}`), 422)
  })

  it.each([
    [
      '共享打印机脱机处理',
      ['打印机', '脱机', '共享', '打印机 处理', '处', '共享打印机脱机处理'],
      ['打机', '显示器'],
    ],
    ['プリンターの接続エラー', ['接続', 'ﾌﾟﾘﾝﾀｰ', 'エラー'], ['設定']],
    ['프린터오프라인', ['프린터', '오프라인'], ['모니터']],
    ['QVPN接続の手順', ['接続', 'qvpn', 'QVPN接続'], ['印刷']],
    ['Łódź office', ['lodz', 'Łódź', 'łódź off'], ['lod z']],
    ['Smørrebrød Ærø', ['smorrebrod', 'aero', 'ærø'], []],
    ['Đakovo straße', ['dakovo', 'strasse', 'straße'], []],
    ['O’Brien laptop', ['obrien', "o'brien", 'O’Brien', 'brien'], ['obr ien']],
    ['Café réseau', ['cafe', 'CAFÉ', 'reseau'], []],
    ['שָׁלוֹם מדפסת', ['שלום', 'שָׁלוֹם'], []],
    ['طَابِعَة الـمكتب', ['طابعة', 'المكتب'], []],
    ['Quok\u00adka\u200b 11', ['quokka'], []],
  ])('SEA-11 finds %s by parts of it, and however its letters are written', async (name, words, others) => {
    const { admin } = await createAccount(service)
    const { id } = await createFlow(admin, { name })
    for (const word of words) {
      expect([word, await findIds(admin, word, 'flow')]).toEqual([word, [id]])
      const { body } = await admin.call('GET', `/trees?search=${encodeURIComponent(word)}`)
      if (word !== 'obrien')
        expect([word, body.map((flow: { id: string }) => flow.id)]).toEqual([
          word,
          expect.arrayContaining([id]),
        ])
    }
    for (const word of others) expect([word, await findIds(admin, word, 'flow')]).toEqual([word, []])
  })

  it('SEA-11 marks the words of a script without spaces', async () => {
    const { admin } = await createAccount(service)
    await createFlow(admin, { name: '共享打印机脱机处理' })
    expect(listMarked((await find(admin, '打印机', { types: 'flow' }))[0]?.title as Marked)).toEqual([
      '打印机',
    ])
  })

  it('SEA-02 SEA-03 needs every word, accepts the start of the last one, and finds numbers, names, addresses and codes', async () => {
    const { admin } = await createAccount(service)
    const { id } = await createSession(admin, {
      ticket_number: 'T20261122.0042',
      client_name: 'Müller & Söhne',
    })
    const notes =
      'Restarted srv-print01.contoso.local (10.20.30.40) after error 0x80070005; NodeNotReady; "it\'s a&b|c".'
    await admin.call('PATCH', `/sessions/${id}`, { notes })
    const found = [
      'T20261122.0042',
      't20261122',
      'muller soh',
      'MÜLLER',
      'restarting',
      'srv-print01',
      'srv-print01.contoso.local',
      'print01',
    ]
    found.push(
      '10.20.30.40',
      '10.20',
      '0x80070005',
      '0x8007',
      'nodenotready',
      'ready',
      'the restart of 0x80',
      "it's",
      'a&b|c',
      'contoso mull',
    )
    for (const q of found) expect([q, await findIds(admin, q, 'session')]).toEqual([q, [id]])
    for (const q of [
      '20261122.9',
      'mull contoso',
      'zeppelin muller',
      '10.20.99',
      '40.30.20.10',
      "'",
      '!!!',
      ':* & |',
      "' | 'all",
    ])
      expect([q, await findIds(admin, q, 'session')]).toEqual([q, []])
  })

  it.each([
    [
      'Install KB5034441 again',
      ['KB5034441', 'kb 5034441', 'KB-5034441', '5034441', 'kb503'],
      ['kb 5034442'],
    ],
    ['EAP-245 has no light', ['EAP245', 'eap 245', 'EAP\u2011245', 'eap–245'], ['eap 246']],
    ['HP 4250dn jams', ['4250 dn', '4250dn', 'hp4250'], []],
    ['Build C++ and C# projects', ['c++', 'C#', 'c# projects'], ['d++']],
    ['Notepad++ plugin', ['notepad++', 'notepad'], []],
  ])('SEA-03 finds codes and names with signs in any spelling: %s', async (name, words, others) => {
    const { admin } = await createAccount(service)
    const { id } = await createFlow(admin, { name })
    for (const word of words) expect([word, await findIds(admin, word, 'flow')]).toEqual([word, [id]])
    for (const word of others) expect([word, await findIds(admin, word, 'flow')]).toEqual([word, []])
  })

  it('SEA-03 shows the flow about C++ before flows with a C', async () => {
    const { admin } = await createAccount(service)
    const { id } = await createFlow(admin, { name: 'C++ runtime is missing' })
    for (const name of ['Drive C is full', 'Class C network', 'Vitamin c']) await createFlow(admin, { name })
    expect(await findIds(admin, 'c++', 'flow')).toEqual([id])
  })

  it('SEA-14 a pasted message finds the nearest entries when none has all of its words', async () => {
    const { admin } = await createAccount(service)
    const { id } = await createFlow(admin, {
      name: 'Outlook cannot open the mailbox',
      description: 'The set of folders cannot be opened. Repair the profile.',
    })
    await createFlow(admin, { name: 'Printer offline' })
    for (const message of [
      'Cannot start Outlook: the set of folders cannot be opened',
      'Outlook.exe 0x8004010f cannot open folders',
      'mailbox folders quokka',
    ])
      expect([message, await findIds(admin, message, 'flow')]).toEqual([message, [id]])
    expect(await findIds(admin, 'mailbox quokka', 'flow')).toEqual([])
  })

  it('SEA-06 marks a word whose letters have marks or invisible characters between them', async () => {
    const { admin } = await createAccount(service)
    await createFlow(admin, { name: 'Flow', description: 'The quok\u00adka of straße מַדְפֶּסֶת' })
    const [flow] = await find(admin, 'quokka strasse מדפסת', { types: 'flow' })
    expect(listMarked(flow?.snippet as Marked)).toEqual(['quok\u00adka', 'straße', 'מַדְפֶּסֶת'])
  })

  it('SEA-06 marks the words in plain text, by their positions', async () => {
    const { admin } = await createAccount(service)
    const padding = 'Lorem ipsum dolor sit amet consectetur. '.repeat(10)
    await createFlow(admin, {
      name: '<b>Quökka</b> & Printers',
      description: `${padding}\n\nThe 😀 QUOKKA prints <script> again. ${padding}`,
    })
    const [flow] = await find(admin, 'printing quok', { types: 'flow' })
    if (!flow) throw new Error('The flow is not found')
    expect([flow.title.text, listMarked(flow.title)]).toEqual([
      '<b>Quökka</b> & Printers',
      ['Quökka', 'Printers'],
    ])
    expect(flow.snippet.text).toMatch(/^….* The 😀 QUOKKA prints <script> again\. .*…$/)
    expect(flow.snippet.text.length).toBeLessThan(210)
    expect(listMarked(flow.snippet)).toEqual(['QUOKKA', 'prints'])
  })

  it('SEA-07 finds similarly spelled words when nothing else fits', async () => {
    const { admin } = await createAccount(service)
    const { id } = await createFlow(admin, { name: 'Quokka authentication' })
    for (const q of ['quoka authentification', 'qoukka']) expect(await findIds(admin, q)).toContain(id)
  })

  it('SEA-09 reads few entries of a large account, whether a word is in all, in some or in no entry', async () => {
    const { admin } = await createAccount(service)
    await service.sql(
      `insert into search_entries (account_id, type, id, words)
       select $1, 'session', uuidv7(interval '1 minute' * (n - 4000)),
              app.search_words(app.search_tag($1, 'session'), 'T' || n || ' quokka', 'topic' || n % 100 || ' era' || n / 1000, '', '{all}')
         from generate_series(1, 4000) n`,
      [admin.accountId],
    )
    await service.sql('vacuum analyze search_entries')
    const caller = { userId: admin.id, accountId: admin.accountId, signInId: admin.signInId }
    for (const text of [
      'quokka',
      'q',
      'topic7',
      'era1',
      't7',
      'topic7 era2',
      'zeppelin',
      'quokka '.repeat(25),
    ]) {
      const { nodes } = await explainStatements(service, true, (connection) =>
        selectResults.all(
          openScope(
            connection,
            { caller, access: 'user', skipGuards: 'none', ip: '', readOnly: true },
            () => {},
          ).db,
          text,
          ['session'],
          20,
        ),
      )
      const scans = nodes.filter((node) => node['Relation Name'] === 'search_entries')
      expect(scans.filter((scan) => scan['Node Type'] === 'Seq Scan')).toEqual([])
      expect(totalRowsRead(scans), text).toBeLessThanOrEqual(2200)
    }
  })

  it('SEA-08 shows the one flow although many sessions fit better', async () => {
    const { admin } = await createAccount(service)
    const flow = await createFlow(admin, { name: 'Mail is late', description: 'For the quokka' })
    await service.sql(
      `insert into sessions (account_id, user_id, tree_account_id, tree_id, tree_version, tree_name, state, started_at, client_name, remaining)
       select $1, $2, $1, $3, 1, 'Mail is late', 'in_progress', now(), 'Quokka Ltd', 1 from generate_series(1, 100)`,
      [admin.accountId, admin.id, flow.id],
    )
    expect((await find(admin, 'quokka')).map(({ type }) => type)).toContain('flow')
  })
})

describe('who finds what', () => {
  it('SEA-04 shows nothing of another account, of another team, of a private flow and of a colleague’s AI session', async () => {
    const account = await createAccount(service)
    const ids = await createOfEachType(account)
    await createFlow(account.admin, { name: 'Secret quokka', visibility: 'private' })
    await createFlow(account.admin, { name: 'Draft quokka', visibility: 'team', status: 'draft' })
    const [team] = await service.sql<{ id: string }>(
      `insert into teams (account_id, name) values ($1, 'Other') returning id`,
      [account.id],
    )
    const stranger = (await createAccount(service)).admin
    const outsider = await account.addColleague({ teamId: team?.id ?? null })
    const colleague = await account.addColleague()
    expect(await findIds(stranger, 'quokka')).toEqual([])
    const listTypes = async (person: Person) => (await find(person, 'quokka')).map(({ type }) => type).sort()
    const visible = ['flow', 'flow', 'step', 'library_step', 'script', 'session', 'article', 'diagram'].sort()
    expect(await listTypes(colleague)).toEqual(visible)
    expect(await findIds(outsider, 'quokka')).toEqual([ids.session])
  })

  it('SEA-04 shows no type whose operations are closed to the caller', async () => {
    const account = await createAccount(service)
    await createOfEachType(account)
    const viewer = await account.addColleague({ role: 'viewer' })
    expect((await find(viewer, 'quokka')).map(({ type }) => type)).not.toContain('article')
    await service.sql(
      `insert into feature_overrides (account_id, feature, enabled) select $1, f, false from unnest('{ai_sessions,network_diagrams,kb_import}'::text[]) f`,
      [account.id],
    )
    const types = (await find(account.admin, 'quokka')).map(({ type }) => type).sort()
    expect(types).toEqual(['flow', 'library_step', 'script', 'session', 'step'])
  })

  it('SEA-04 shows an AI session to everyone while it waits, and afterwards to its user and the colleague who claimed it', async () => {
    const account = await createAccount(service)
    const [robin, kim] = [await account.addColleague(), await account.addColleague()]
    const { id } = await createAiSession(account.admin, { problem_summary: 'The quokka does not answer' })
    const findBy = (people: Person[]) =>
      Promise.all(people.map(async (person) => (await findIds(person, 'quokka')).length))
    const people = [account.admin, robin, kim]
    expect(await findBy(people)).toEqual([1, 0, 0])
    const { handoffId } = await escalateSession(account.admin, id)
    expect(await findBy(people)).toEqual([1, 1, 1])
    expectStatus(await claimHandoff(robin, id, handoffId), 200)
    expect(await findBy(people)).toEqual([1, 1, 0])
  })

  it('SEA-05 follows each change at once', async () => {
    const account = await createAccount(service)
    const colleague = await account.addColleague()
    const { admin } = account
    const ids = await createOfEachType(account)
    const types = async (person = admin) => new Set((await find(person, 'quokka')).map(({ type }) => type))
    expectStatus(
      await admin.call('POST', `/network-diagrams/${ids.diagram}/archive`, { archived: true }),
      200,
    )
    expect(await types()).not.toContain('diagram')
    await admin.call('PUT', `/trees/${ids.flow}`, { status: 'draft' })
    expect(await types()).not.toContain('step')
    await admin.call('PUT', `/trees/${ids.flow}`, { status: 'published', visibility: 'private' })
    expect([
      (await types()).has('step'),
      (await types(colleague)).has('step'),
      (await types(colleague)).has('flow'),
    ]).toEqual([true, false, false])
    await admin.call('PUT', `/trees/${ids.flow}`, { visibility: 'account' })
    expect((await types(colleague)).has('step')).toBe(true)
    await admin.call('PUT', `/trees/${ids.flow}`, { visibility: 'private' })
    expect((await types(colleague)).has('step')).toBe(false)
    await admin.call('PUT', `/script-templates/${ids.script}`, { name: 'Restart' })
    expectStatus(await admin.call('DELETE', `/step-library/${ids.library_step}`), 204)
    expectStatus(await admin.call('DELETE', `/ai-sessions/${ids.ai_session}`), 204)
    expectStatus(await admin.call('DELETE', `/kb-imports/${ids.article}`), 204)
    expect(await types()).toEqual(new Set(['flow', 'step', 'session']))
    expectStatus(await admin.call('DELETE', `/trees/${ids.flow}`), 204)
    expect(await findIds(admin, 'quokka')).toEqual([ids.session])
  })
})

it('SEA-12 admins find what they inherit from members who left: private flows, and AI sessions of their team', async () => {
  const account = await createAccount(service)
  const [leaver, engineer, teamAdmin] = [
    await account.addColleague(),
    await account.addColleague(),
    await account.addColleague({ teamRole: 'admin' }),
  ]
  const [team] = await service.sql<{ id: string }>(
    `insert into teams (account_id, name) values ($1, 'Other') returning id`,
    [account.id],
  )
  const otherAdmin = await account.addColleague({ teamRole: 'admin', teamId: team?.id ?? '' })
  const flow = await createFlow(leaver, { name: 'Axolotl offline', visibility: 'private' })
  const session = await createAiSession(leaver, { client_name: 'Axolotl Ltd' })
  const people = [account.admin, teamAdmin, otherAdmin, engineer]
  for (const person of people) expect(await findIds(person, 'axolotl')).toEqual([])
  expectStatus(await account.admin.call('DELETE', `/accounts/me/members/${leaver.id}`), 204)
  const found = await Promise.all(
    people.map(async (person) => (await findIds(person, 'axolotl', 'flow,ai_session')).toSorted()),
  )
  expect(found).toEqual([[flow.id, session.id].toSorted(), [session.id], [], []])
  for (const [n, person] of people.entries())
    expect((await person.call('GET', `/trees/${flow.id}`)).status === 200).toBe(found[n]?.includes(flow.id))
})
