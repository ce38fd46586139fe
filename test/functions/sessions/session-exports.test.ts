import { describe, expect, it } from 'vitest'
import { expectStatus } from '../../support/answers.ts'
import { shared } from '../../support/app.ts'
import { answeredSession, exportOf, insertNotes, textFormats } from '../../support/exports.ts'
import { newAccount, type Person } from '../../support/people.ts'

const service = shared()
const mark = (n: number) => `note-number-${n}-ends`
const three = [mark(0), mark(1), mark(2)]

describe('exporting a session', () => {
  it('SES-19 gives markdown, text, HTML and a ticket note as files to keep', async () => {
    const { admin } = await newAccount(service)
    const id = await answeredSession(admin, three)
    const types = ['text/markdown', 'text/plain', 'text/html', 'text/plain']
    for (const [index, format] of textFormats.entries()) {
      const { status, headers, text } = await exportOf(admin, id, `?format=${format}`)
      expect([status, headers.get('content-type')]).toEqual([200, `${types[index]}; charset=utf-8`])
      expect(headers.get('content-disposition')).toMatch(
        /^attachment; filename\*=UTF-8''printer-offline-[a-z0-9-]+t-48213(?:-note)?\.(?:md|txt|html)$/,
      )
      for (const said of [
        'Contoso Dental',
        'T-48213',
        'Resolved',
        admin.fullName,
        'Title 1.',
        '1 min 15 s',
        mark(2),
        'All well.',
        'Call back.',
      ])
        expect([format, text.replaceAll('\\', '')]).toEqual([format, expect.stringContaining(said)])
    }
  })

  it('SES-20 SES-36 cuts what comes after max_step_index, which counts from 0 and is shown itself', async () => {
    const { admin } = await newAccount(service)
    const id = await answeredSession(admin, three)
    await admin.call('POST', `/sessions/${id}/supporting-data`, {
      kind: 'text',
      title: 'Of the last',
      content: 'snippet-of-last',
      step_id: 's2',
    })
    for (const format of textFormats) {
      for (const last of [0, 1, 2, 9]) {
        const { text } = await exportOf(admin, id, `?format=${format}&max_step_index=${last}`)
        expect([format, last, ...three.map((note) => text.includes(note))]).toEqual([format, last, true, last >= 1, last >= 2])
        expect([format, last, text.includes('snippet-of-last')]).toEqual([format, last, last >= 2])
      }
    }
    for (const wrong of ['-1', '1.5', 'x', '', '1e99', '0x1'])
      expect([wrong, (await exportOf(admin, id, `?max_step_index=${wrong}`)).status]).toEqual([wrong, 422])
  })

  it('SES-21 marks a completed session exported, once, and one in progress not', async () => {
    const { admin } = await newAccount(service)
    const exportedAt = async (id: string) => (await admin.call('GET', `/sessions/${id}`)).body.exported_at
    const open = await answeredSession(admin, three, {}, false)
    await exportOf(admin, open)
    expect(await exportedAt(open)).toBeNull()
    const done = await answeredSession(admin, three)
    expect(await exportedAt(done)).toBeNull()
    await exportOf(admin, done, '?max_step_index=-1')
    expect(await exportedAt(done)).toBeNull()
    await exportOf(admin, done)
    const first = await exportedAt(done)
    expect(first).toMatch(/Z$/)
    await exportOf(admin, done, '?format=html')
    expect(await exportedAt(done)).toBe(first)
  })

  it('SES-21 is marked by the first of 32 exports at once and by no other', async () => {
    const { admin, colleague } = await newAccount(service)
    const people = [admin, await colleague({ role: 'viewer' })]
    const id = await answeredSession(admin, three)
    const exportedAt = async () => (await admin.call('GET', `/sessions/${id}`)).body.exported_at
    const all = Array.from({ length: 32 }, (_, n) => exportOf(people[n % 2] as Person, id, '?format=text'))
    await Promise.race(all)
    const first = await exportedAt()
    expect((await Promise.all(all)).map(({ status }) => status)).toEqual(Array(32).fill(200))
    expect([first, await exportedAt()]).toEqual([expect.stringMatching(/Z$/), first])
  })

  it('marks a session that a viewer exports, and shows and marks no other account’s', async () => {
    const { admin, colleague } = await newAccount(service)
    const id = await answeredSession(admin, three)
    const stranger = (await newAccount(service)).admin
    expectStatus(await exportOf(stranger, id), 404)
    expect((await admin.call('GET', `/sessions/${id}`)).body.exported_at).toBeNull()
    expectStatus(await exportOf(await colleague({ role: 'viewer' }), id), 200)
    expect((await admin.call('GET', `/sessions/${id}`)).body.exported_at).not.toBeNull()
  })

  it('SES-22 hides addresses, mailboxes, tokens and paths in every format, wherever they stand', async () => {
    const { admin } = await newAccount(service)
    const secrets = ['10.9.8.7', 'fe80::77', 'vik@contoso.com', '\\\\fs77\\pay', `ghp_${'a1B2'.repeat(9)}`]
    const said = secrets.join(' ; ')
    const about = { ticket_number: `T ${secrets[0]}`, client_name: said, variables: { printer_ip: '10.9.8.7', other: said } }
    const id = await answeredSession(admin, [said, `\`\`\`\n${said}\n\`\`\``], about)
    await admin.call('PATCH', `/sessions/${id}`, { notes: said, next_steps: said })
    await admin.call('POST', `/sessions/${id}/supporting-data`, { kind: 'text', title: said, content: said })
    await admin.call('POST', `/sessions/${id}/supporting-data`, { kind: 'screenshot', title: said, content: said, step_id: 's0' })
    await admin.call('PATCH', '/accounts/me/preferences', { mask_exports: true })
    for (const format of textFormats) {
      for (const query of [`?format=${format}&mask=true`, `?format=${format}`]) {
        const { text, headers } = await exportOf(admin, id, query)
        const shown = `${text} ${headers.get('content-disposition')}`.replaceAll('\\', '')
        for (const secret of ['10.9.8.7', '10-9-8-7', 'fe80', 'vik', 'fs77', 'ghp'])
          expect([query, secret, shown.includes(secret)]).toEqual([query, secret, false])
        expect(text).toContain('Title 1.')
      }
      const open = await exportOf(admin, id, `?format=${format}&mask=false`)
      expect(open.text.replaceAll('\\', '')).toContain('vik@contoso.com')
    }
  })

  it('SES-23 shows snippets and places of screenshots', async () => {
    const { admin } = await newAccount(service)
    const id = await answeredSession(admin, three)
    const add = (item: object) => admin.call('POST', `/sessions/${id}/supporting-data`, item)
    await add({ kind: 'text', title: 'Output of ping', content: '0 received\n  of 4', step_id: 's1' })
    await add({ kind: 'screenshot', title: 'The panel', content: 'Shows E-12' })
    for (const format of textFormats) {
      const { text } = await exportOf(admin, id, `?format=${format}`)
      for (const said of ['Output of ping', '0 received', '  of 4', 'The panel', 'Screenshot', 'E-12'])
        expect([format, text]).toEqual([format, expect.stringContaining(said)])
    }
  })

  it('SES-25 sends nothing and marks nothing when masking fails', async () => {
    const { admin } = await newAccount(service)
    const id = await answeredSession(admin, three)
    await insertNotes(service, admin, id, Array(305).fill('private words '.repeat(1428)))
    for (const format of [...textFormats, 'pdf']) {
      const { status, body, text, headers } = await exportOf(admin, id, `?format=${format}&mask=true`)
      expect([status, body]).toEqual([500, { detail: 'The report is too long to be masked; nothing was exported', code: 'masking_failed' }])
      expect([text.includes('note-number'), text.includes('private'), headers.get('content-disposition')]).toEqual([false, false, null])
    }
    expect((await admin.call('GET', `/sessions/${id}`)).body.exported_at).toBeNull()
    expectStatus(await exportOf(admin, id, '?format=text&mask=false'), 200)
  })

  it('follows the preferences where nothing is said', async () => {
    const { admin } = await newAccount(service)
    const id = await answeredSession(admin, three)
    expect((await exportOf(admin, id)).headers.get('content-type')).toMatch('text/markdown')
    await admin.call('PATCH', '/accounts/me/preferences', { default_export_format: 'html' })
    expect((await exportOf(admin, id)).headers.get('content-type')).toMatch('text/html')
    expectStatus(await exportOf(admin, id, '?format=docx'), 422)
    expectStatus(await exportOf(admin, id, '?mask=perhaps'), 422)
  })

  it('shows times as the clock of the caller does', async () => {
    const { admin } = await newAccount(service)
    const id = await answeredSession(admin, three)
    await service.sql(`update sessions set started_at = '2026-03-29T00:59:00Z', completed_at = '2026-03-29T01:01:00Z' where id = $1`, [id])
    await service.sql(`update users set timezone = 'Europe/Berlin' where id = $1`, [admin.id])
    const { text } = await exportOf(admin, id, '?format=text')
    expect(text).toMatch(/Started: +29 Mar 2026, 01:59\nCompleted: +29 Mar 2026, 03:01\nTime taken: +2 min\nTime zone: +Europe\/Berlin/)
  })
})
