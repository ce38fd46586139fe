import { expect, it } from 'vitest'
import { sharedService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { exportSession, textFormats } from '#test/support/exports.ts'
import { createImage, uploadImage } from '#test/support/images.ts'
import { createAccount, type Person } from '#test/support/people.ts'
import { answerStep, createSession } from '#test/support/sessions.ts'

const service = await sharedService()

async function startProcedure(person: Person) {
  const script = { name: 'New-Snapshot', language: 'powershell', script_body: 'Get-Date' }
  const { id } = expectStatus(await person.call('POST', '/script-templates', script), 201).body
  const steps = [
    {
      id: 'danger',
      type: 'section_header',
      title: 'Production: {{server}}',
      description: 'Call the **change board** first.',
    },
    {
      id: 'snapshot',
      type: 'procedure_step',
      title: 'Take a snapshot',
      description:
        '| Host | Role |\n|---|---|\n| *hv-1* | first |\n\n- [x] quiesced\n\n> Ask first.\n\n![d](https://x.example/d.png)',
      group_label: 'Safety',
      estimated_minutes: 10,
      script_template_id: id,
      attachments: [{ title: 'Vendor article', url: 'https://support.example.com/kb/4711' }],
    },
    { id: 'patch', type: 'procedure_step', title: 'Install the updates', description: '' },
    { id: 'last', type: 'section_header', title: 'Afterwards', description: '' },
    {
      id: 'end',
      type: 'procedure_end',
      title: 'Finished',
      description: 'Tell {{client_name}} that {{server}} is back.',
    },
  ]
  const intake_form = [{ key: 'server', label: 'Server', type: 'hostname', required: true }]
  const flow = { tree_type: 'procedural', tree_structure: { steps }, intake_form }
  const session = await createSession(
    person,
    { variables: { server: 'srv-1' }, client_name: 'Contoso' },
    flow,
  )
  return { session, scriptId: id }
}

const header = { id: 'danger', title: 'Production: srv-1', description: 'Call the **change board** first.' }

it('SES-47 shows the section headers before a step, with its group, minutes, script and attachments', async () => {
  const { admin } = await createAccount(service)
  const { session, scriptId } = await startProcedure(admin)
  expect(session.current_step).toMatchObject({
    section_headers: [header],
    section_title: 'Production: srv-1',
    group_label: 'Safety',
    estimated_minutes: 10,
    script_template_id: scriptId,
    attachments: [{ title: 'Vendor article', url: 'https://support.example.com/kb/4711' }],
  })
  const next = await answerStep(admin, session, 'done')
  expect(next.current_step).toMatchObject({
    section_headers: [],
    section_title: 'Production: srv-1',
    estimated_minutes: null,
  })
  expect(next.decisions[0].section_headers).toEqual([header])
})

it('SES-48 shows the text of a procedure’s end when no step is left', async () => {
  const { admin } = await createAccount(service)
  const { session } = await startProcedure(admin)
  const second = await answerStep(admin, session, 'done')
  expect([session.procedure_end, second.procedure_end]).toEqual([null, null])
  const end = { id: 'end', title: 'Finished', description: 'Tell Contoso that srv-1 is back.' }
  const section_headers = [{ id: 'last', title: 'Afterwards', description: '' }]
  expect((await answerStep(admin, second, 'done')).procedure_end).toEqual({ ...end, section_headers })
})

it('SES-49 exports section headers, details, the current step of an open session, and the end of a finished one', async () => {
  const { admin } = await createAccount(service)
  const { session } = await startProcedure(admin)
  const exportAll = () =>
    Promise.all(
      textFormats.map(async (format) =>
        (await exportSession(admin, session.id, `?format=${format}`)).text.replaceAll('\\', ''),
      ),
    )
  const expectAll = (texts: string[], expected: readonly string[]) => {
    for (const text of texts) for (const part of expected) expect(text).toContain(part)
  }
  const details = [
    'Production: srv-1',
    'Safety',
    '10 min',
    'New-Snapshot',
    'Vendor article',
    'https://support.example.com/kb/4711',
  ]
  expectAll(await exportAll(), ['Take a snapshot', ...details])
  await answerStep(admin, await answerStep(admin, session, 'done'), 'done')
  const finished = await exportAll()
  expectAll(finished, ['Finished', 'Afterwards', ...details])
  for (const text of finished) expect(text).not.toMatch(/current step/i)
})

it('SES-50 embeds screenshots in the HTML and the PDF, names them in the other formats, and leaves them out of a masked export', async () => {
  const { admin } = await createAccount(service)
  const { session } = await startProcedure(admin)
  const upload_id = (await uploadImage(service, admin, await createImage('png', 300, 100))).body.id
  const item = { kind: 'screenshot', title: 'The panel', upload_id, step_id: 'snapshot' }
  expectStatus(await admin.call('POST', `/sessions/${session.id}/supporting-data`, item), 201)
  const image = /<img src="data:image\/jpeg;base64,[\w+/=]{100,}" width="300" height="100" alt="The panel">/
  expect((await exportSession(admin, session.id, '?format=html')).text).toMatch(image)
  expect((await exportSession(admin, session.id, '?format=html&mask=true')).text).not.toContain('<img')
  const isInPdf = async (mask: boolean) =>
    (await exportSession(admin, session.id, `?format=pdf&mask=${mask}`)).text.includes(
      '/Subtype/Image/Width 300/Height 100',
    )
  expect([await isInPdf(false), await isInPdf(true)]).toEqual([true, false])
  for (const format of ['markdown', 'text', 'ticket-note'])
    expect((await exportSession(admin, session.id, `?format=${format}`)).text).toContain('The panel')
})

it('SES-51 renders markdown tables, emphasis, quotes and task lists', async () => {
  const { admin } = await createAccount(service)
  const { session } = await startProcedure(admin)
  const { text } = await exportSession(admin, session.id, '?format=html')
  for (const part of [
    '<td dir="auto"><em>hv-1</em></td>',
    '<blockquote',
    '☑',
    '<a href="https://x.example/d.png"',
  ])
    expect(text).toContain(part)
  expect(text).not.toContain('<img')
})
