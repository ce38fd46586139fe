import { extractText, getDocumentProxy } from 'unpdf'
import { expect, it } from 'vitest'
import { exportedColumns } from '#db/exported-columns.ts'
import { scriptRunBody } from '#test/contract/fixture-rows.ts'
import { createKey } from '#test/support/api-keys.ts'
import { sharedService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { exportPdf, exportSession, textFormats } from '#test/support/exports.ts'
import { createFlow, patchProcedure } from '#test/support/flows.ts'
import { callTool, connectMcp } from '#test/support/mcp.ts'
import { createAccount, type Person } from '#test/support/people.ts'
import { connectPsa } from '#test/support/psa.ts'
import { startRun } from '#test/support/subflows.ts'

const service = await sharedService()

interface Act {
  /** Do what makes a row of the table, as a colleague of the session's user. */
  run(person: Person, path: string): Promise<{ status: number }>
  /** The path below the session at which the API shows the row. */
  record: string
  /** Why exports have no such row. */
  notExported?: string
}

const answer = { step_id: 'snapshot', outcome: 'done', evidence: { serial: 'X-4711' } }

/** What a person does during a run, by the table that gets a row. */
const acts: Record<string, Act> = {
  session_decisions: { run: (person, path) => person.call('POST', `${path}/decisions`, answer), record: '' },
  session_fallbacks: {
    run: (person, path) =>
      person.call('POST', `${path}/decisions`, {
        step_id: 'snapshot',
        fallback: { fallback_step_id: 'backup', outcome: 'failed' },
      }),
    record: '',
  },
  session_custom_steps: {
    run: (person, path) => person.call('POST', `${path}/custom-steps`, { source: 'ad-hoc', title: 'Asked' }),
    record: '',
  },
  session_supporting_data: {
    run: (person, path) =>
      person.call('POST', `${path}/supporting-data`, { kind: 'text', title: 'Ping', content: '0 received' }),
    record: '/supporting-data',
  },
  script_runs: {
    run: (person, path) => person.call('POST', `${path}/script-runs`, scriptRunBody),
    record: '/script-runs',
  },
  session_ratings: {
    run: (person, path) => person.call('PUT', `${path}/rating`, { score: 4 }),
    record: '/rating',
    notExported: 'a rating is about the run',
  },
}
/** Tables of a session whose rows no act of a person makes, or that name the person in another way. */
const others: Record<string, string> = {
  session_evidence: 'is of the person of its answer',
  session_timers: 'a step starts it',
  session_step_feedback: 'its answer shows it to whoever gave it',
  approvals: 'their texts name who approved',
  runner_runs: 'the script run that results names who asked',
  sessions: 'a sub-flow has the user of its session',
}

async function createScene() {
  const account = await createAccount(service)
  const owner = await account.addColleague()
  const structure = patchProcedure() as { steps: Record<string, unknown>[] }
  const [first = {}, ...rest] = structure.steps.filter(({ type }) => type !== 'section_header')
  const evidence = [{ key: 'serial', type: 'text', label: 'Serial number' }]
  const fallback_steps = [{ id: 'backup', title: 'Take a backup', description: '' }]
  const flow = await createFlow(owner, {
    tree_type: 'procedural',
    tree_structure: { steps: [{ ...first, id: 'snapshot', evidence, fallback_steps }, ...rest] },
    intake_form: [],
  })
  const { id } = await startRun(owner, flow.id)
  return { ...account, owner, id, path: `/sessions/${id}` }
}

async function exportAll(person: Person, id: string): Promise<[string, string][]> {
  const texts: [string, string][] = []
  for (const format of textFormats)
    texts.push([format, (await exportSession(person, id, `?format=${format}`)).text])
  const pdf = await extractText(await getDocumentProxy(await exportPdf(service, person, id, '?format=pdf')), {
    mergePages: true,
  })
  return [...texts, ['pdf', pdf.text.replaceAll(/\s+/g, ' ')]]
}

it('SES-67 every table of a run has the person of its rows, or says why it has none', async () => {
  const rows = await service.sql<{ name: string; columns: string[] }>(
    `select c.conrelid::regclass::text as name, array(
              select a.attname::text from pg_constraint u join pg_attribute a on a.attrelid = u.conrelid and a.attnum = any (u.conkey)
               where u.conrelid = c.conrelid and u.contype = 'f' and u.confrelid = 'users'::regclass and a.attnotnull
                 and a.attname <> 'account_id') as columns
       from pg_constraint c where c.contype = 'f' and c.confrelid in ('sessions'::regclass, 'session_decisions'::regclass)
      group by c.conrelid`,
  )
  const known = [...Object.keys(acts), ...Object.keys(others)]
  expect(rows.map(({ name }) => name).toSorted()).toEqual(known.toSorted())
  for (const { name, columns } of rows.filter((row) => row.name in acts)) {
    const archived: readonly string[] = exportedColumns[name as keyof typeof exportedColumns]
    expect([name, columns.filter((column) => archived.includes(column))]).not.toEqual([name, []])
  }
})

it.each(Object.entries(acts))(
  'SES-67 the record, each export and the archive name who made a row of %s',
  async (table, { run, record, notExported }) => {
    const { admin, addColleague, owner, id, path } = await createScene()
    const person = await addColleague({ role: 'admin' })
    const name = `Somebody of ${table.replaceAll('_', ' ')}`
    await service.sql('update users set full_name = $2 where id = $1', [person.id, name])
    const before = await exportAll(owner, id)
    expect((await run(person, path)).status).toBeOneOf([200, 201])
    const shown = JSON.stringify(expectStatus(await owner.call('GET', `${path}${record}`), 200).body)
    expect([shown.includes(person.id), shown.includes(name)]).toEqual([true, true])
    const after = await exportAll(owner, id)
    for (const [place, texts] of [
      ['before', before],
      ['after', after],
    ] as const)
      expect(
        texts.filter(([, text]) => text.includes(name) !== (place === 'after' && notExported === undefined)),
        place,
      ).toEqual([])
    if (record === '') {
      const client = await connectMcp(service, (await createKey(service, { admin })).token)
      const told = await callTool(client, 'get_run', { session_id: id }).finally(() => client.close())
      expect(JSON.stringify(told)).toContain(name)
    }
    // Whoever is the user of the session is not named at each row.
    expectStatus(await admin.call('POST', `${path}/reassign`, { user_id: person.id }), 200)
    const named = (await exportSession(owner, id, '?format=text')).text.split(name).length - 1
    expect(named).toBe(1)
  },
)

it('SES-67 a time entry names who booked it', async () => {
  const { admin, owner, path } = await createScene()
  await connectPsa(service, admin)
  await admin.client.psa.members.putMapping({ user_id: admin.id, psa_member_id: '177' })
  await owner.call('PATCH', path, { ticket_number: '4711' })
  expectStatus(await owner.call('POST', `${path}/complete`, { outcome: 'resolved' }), 200)
  const { body } = expectStatus(await admin.call('POST', `${path}/time-entry`, {}), 202)
  const who = { requested_by: admin.id, requested_by_name: admin.fullName }
  expect(body).toMatchObject({ kind: 'time_entry', ...who })
  const listed = await owner.call('GET', `/integrations/psa/pushes?source_id=${body.source_id}`)
  expect(expectStatus(listed, 200).body).toMatchObject([who])
})

it('SES-67 the note for the client names nobody, and a hand-over keeps who gave the earlier answers', async () => {
  const { owner, admin, id, path, addColleague } = await createScene()
  const colleague = await addColleague()
  await connectPsa(service, admin)
  await admin.call('PATCH', path, { ticket_number: '4711' })
  expectStatus(await owner.call('POST', `${path}/decisions`, answer), 201)
  expectStatus(await owner.call('POST', `${path}/reassign`, { user_id: colleague.id }), 200)
  const { body } = await colleague.call('GET', path)
  expect(body).toMatchObject({
    user_name: colleague.fullName,
    decisions: [{ decided_by: owner.id, decided_by_name: owner.fullName }],
  })
  const note = (await exportSession(colleague, id, '?format=ticket-note')).text
  expect(note).toContain(`Technician: ${colleague.fullName}\n`)
  expect(note).toContain(`Answered by: ${owner.fullName}\n`)
  const preview = await colleague.call('GET', `${path}/push/preview?internal=false`)
  expect(expectStatus(preview, 200).body.text).not.toContain('Person')
})
