import { describe, expect, it } from 'vitest'
import { releaseParts } from '#rules/audience.ts'
import { renderBars, writeBarsAsText } from '#vendors/mail/bars.ts'
import * as contents from '#vendors/mail/contents.ts'
import { writeDigestContent } from '#vendors/mail/digest.ts'
import * as frames from '#vendors/mail/frames.ts'
import { renderEmail } from '#vendors/mail/layout.ts'
import { renderPage } from '#vendors/mail/page.ts'

const url = 'https://app.example/page'

describe('the content of an e-mail', () => {
  const lead = {
    name: 'Ada',
    company: 'Contoso',
    email: 'ada@contoso.example',
    phone: '+44 1',
    seats: 12,
    source: 'pricing',
    message: 'Hi',
  }
  it.each([
    [lead, ['Ada, Contoso\nada@contoso.example\n+44 1\n12 seats\nFrom: pricing', 'Hi']],
    [
      { ...lead, phone: null, seats: null, message: null },
      ['Ada, Contoso\nada@contoso.example\nFrom: pricing'],
    ],
  ])('about a sales lead has a line per known detail', (details, paragraphs) => {
    expect(contents.writeLeadContent(details)).toEqual({ subject: 'Sales lead: Contoso', paragraphs })
  })

  const feedback = {
    subject: 'Search',
    message: 'It is slow',
    author: 'Ada',
    email: 'ada@contoso.example',
    account_name: 'Contoso',
  }
  it.each([
    ['https://app.example/trees', 'Ada <ada@contoso.example>, Contoso\nhttps://app.example/trees'],
    [null, 'Ada <ada@contoso.example>, Contoso'],
  ])('about feedback names the author, and the page if there is one: %s', (page_url, sender) => {
    expect(contents.writeFeedbackContent({ ...feedback, page_url })).toEqual({
      subject: 'Feedback: Search',
      paragraphs: ['It is slow', sender],
    })
  })

  it.each([
    [
      'gone',
      'Tickets',
      'the webhook “Tickets” at hooks.example. Its receiver answered 410, which means that it wants no more messages.',
    ],
    ['failing', '', 'the webhook at hooks.example. Its receiver has accepted no message for five days.'],
  ] as const)(
    'about a webhook that is %s names its host without the path',
    (reason, description, sentence) => {
      const { paragraphs } = contents.writeWebhookContent(
        { url: 'https://hooks.example/secret', description, reason } as never,
        url,
      )
      expect(paragraphs[0]).toBe(`Support Flow sends no more events to ${sentence}`)
    },
  )

  it.each([
    ['Ada', 'Ada invites you to Contoso'],
    ['', 'A colleague invites you to Contoso'],
    [null, 'A colleague invites you to Contoso'],
  ])('of an invite by %j names who invites', (inviter, subject) => {
    const names = { account_name: 'Contoso', team_name: 'Field <b>service</b>', inviter_name: inviter }
    expect(contents.writeInviteContent(names, url)).toMatchObject({ subject, link: { url } })
    expect(contents.writeInviteContent(names, url).paragraphs[0]).toContain('the team “Field')
    expect(contents.writeInviteContent({ ...names, team_name: null }, url).paragraphs[0]).toContain(
      'your team',
    )
  })

  it('about the deletion of an account names the day in UTC', () => {
    const { account_deletion_requested: requested, account_deletion_cancelled: cancelled } =
      contents.deletionEmails
    expect(requested('Contoso', '2026-11-03T23:59:00Z', url).paragraphs[0]).toContain(
      'This will happen on 3 November 2026.',
    )
    expect(cancelled('Contoso', '', url)).toMatchObject({
      subject: 'Re: The account “Contoso” will be deleted',
      headline: 'The account “Contoso” stays.',
      link: { label: 'Open the account', url },
    })
  })

  it('about an export says whether it is ready', () => {
    expect(contents.writeExportContent('export_ready', url).subject).toBe('Your export is ready')
    expect(contents.writeExportContent('export_failed', url).subject).toBe('Your export failed')
  })
})

describe('a digest', () => {
  const item = (total: number, link: string | null = '/pilot/1') => ({
    ...{
      title: 'Dana escalated',
      link,
      created_at: '2026-11-23T09:05:00Z',
      timezone: 'Europe/Berlin',
      total,
    },
  })
  it('lists each event with its local time, and links to it', () => {
    expect(writeDigestContent([item(2), item(2, null)], 'https://app.example')).toEqual({
      subject: 'Digest: 2 notifications',
      facts: [
        { label: 'Mon\u00a010:05', text: 'Dana escalated', url: 'https://app.example/pilot/1' },
        { label: 'Mon\u00a010:05', text: 'Dana escalated' },
      ],
      paragraphs: [],
      link: { label: 'Open my notifications', url: 'https://app.example/notifications' },
    })
  })
  it.each([
    [1, 'Digest: 1 notification', []],
    [2, 'Digest: 2 notifications', ['1 more is in the app.']],
    [3, 'Digest: 3 notifications', ['2 more are in the app.']],
  ])('with the first of %i events counts them', (total, subject, paragraphs) => {
    expect(writeDigestContent([item(total)], 'https://app.example')).toMatchObject({ subject, paragraphs })
  })
  it('without events says so', () => {
    expect(writeDigestContent([], 'https://app.example')).toMatchObject({
      subject: 'Digest: 0 notifications',
      facts: [],
      paragraphs: [],
    })
  })
})

describe('the footer of an e-mail', () => {
  const brand = { accountName: 'Contoso', colour: null }
  const origin = { accountName: 'Contoso', isPersonal: true, senderName: 'Dana', configAuthor: 'Ada' }
  it('says why a member and a stranger get a personal notification', () => {
    expect(frames.explainNotification(origin)).toEqual({
      member: 'You are a member of the account “Contoso”, and this event concerns you.',
      stranger:
        'This address was registered by a member of the account “Contoso”. The message was caused by Dana.',
    })
    expect(frames.explainNotification({ ...origin, senderName: null }).stranger).toContain(
      'caused by An administrator.',
    )
  })
  it('says who listed the address of a config', () => {
    expect(frames.explainNotification({ ...origin, isPersonal: false })).toEqual({
      member: 'Ada has listed your address for notifications of the account “Contoso”.',
      stranger: 'Ada set up this address to receive notifications of the account “Contoso” in Support Flow.',
    })
    expect(frames.explainNotification({ ...origin, isPersonal: false, configAuthor: '' }).member).toMatch(
      /^An administrator has listed/,
    )
  })
  it.each([
    ['an invite', frames.explainInvite('Contoso', 'Dana'), 'Ignore this e-mail if you do not want to join.'],
    ['a receipt', frames.explainReceipt(), 'You get one e-mail for each feedback that you send.'],
    ['an export', frames.explainExport('Contoso'), 'You get one e-mail for each export that you start.'],
    ['a webhook', frames.explainWebhook('Contoso', url), { label: 'Delete webhooks that nobody needs', url }],
    ['a digest', frames.explainDigest('Contoso', url), { label: 'Change your quiet hours and digests', url }],
    [
      'a report',
      frames.explainReport('Contoso', 'Desk', url),
      { label: 'Unsubscribe from this report', url },
    ],
    [
      'a notification',
      frames.explainNotification(origin),
      {
        label: 'Admins of the account change who is notified here',
        url: 'https://app.example/settings/notifications',
      },
    ],
  ])('says a member how to stop %s', (_, reasons, stop) => {
    expect(frames.createMemberFrame(brand, reasons, 'https://app.example')).toEqual({
      brand,
      reason: reasons.member,
      stop,
    })
  })
  it('lets a stranger stop every e-mail', () => {
    const reasons = frames.explainReceipt()
    expect(frames.createStrangerFrame(brand, reasons, url)).toEqual({
      brand,
      reason: reasons.stranger,
      stop: { label: 'Never send me e-mails again', url },
    })
  })
  it('of a deletion names the account', () => {
    expect(frames.createDeletionFrame(brand).reason).toBe(
      'You are an admin of the account “Contoso” in Support Flow.',
    )
  })
})

describe('the layout of an e-mail', () => {
  const frame = releaseParts({ brand: { accountName: null, colour: null }, reason: 'r', stop: 's' })
  const facts = [
    { label: 'Urgency', text: 'Critical' },
    { label: 'Session', text: 'VPN', url: 'https://app.example/?a&b' },
  ]
  it.each([
    [true, 1],
    [false, 0],
    [undefined, 0],
  ])('marks the first fact only of an urgent one: %s', (isUrgent, marks) => {
    const { html } = renderEmail(
      releaseParts({ subject: 's', paragraphs: [], facts, ...(isUrgent === undefined ? {} : { isUrgent }) }),
      frame,
    )
    const cells = html.match(/<td[^>]*>(?:<a[^>]*>)?\w+/g) ?? []
    expect(
      cells.filter((cell) => cell.includes('class="urgent"')).map((cell) => cell.replace(/<[^>]*>/g, '')),
    ).toEqual(marks ? ['Critical'] : [])
  })
  it('links a fact with an address in both parts', () => {
    const { html, text } = renderEmail(releaseParts({ subject: 's', paragraphs: [], facts }), frame)
    expect(html).toContain(
      '<a class="text" href="https://app.example/?a&amp;b" style="color:#111827">VPN</a>',
    )
    expect(text).toMatch(/^Urgency: Critical\nSession: VPN\nhttps:\/\/app\.example\/\?a&b\n\n-- \n/)
  })
  it('has no table without facts, and a button per link', () => {
    const link = { label: 'One', url: 'https://app.example/1' }
    const { html, text } = renderEmail(
      releaseParts({
        subject: 's',
        paragraphs: [],
        link,
        secondLink: { label: 'Two', url: 'https://app.example/2' },
      }),
      frame,
    )
    expect(html).not.toContain('<th')
    expect(html.match(/<a class="button-label"[^>]*>\w+/g)?.map((tag) => tag.replace(/.*>/, ''))).toEqual([
      'One',
      'Two',
    ])
    expect(text).toMatch(
      /^One: https:\/\/app\.example\/1\n\nTwo: https:\/\/app\.example\/2\n\n-- \nSupport Flow\nr\ns$/,
    )
  })
})

describe('a bar chart in an e-mail', () => {
  const chart = {
    title: 'Sessions per day',
    end: 8,
    rows: [
      { label: 'Mon', value: 0 },
      { label: 'Tue', value: 3 },
      { label: '<Wed>', value: 8 },
    ],
  }
  it('has a bar for each value above 0, in percent of the end', () => {
    const html = String(renderBars(chart, '#0f766e', 'font-size:16px'))
    expect(html.match(/<td class="bar"[^>]*>/g)).toEqual([
      '<td class="bar" width="38%" height="14" bgcolor="#0f766e" style="height:14px;font-size:1px;background-color:#0f766e">',
      '<td class="bar" width="100%" height="14" bgcolor="#0f766e" style="height:14px;font-size:1px;background-color:#0f766e">',
    ])
    expect(html).toContain('&lt;Wed&gt;')
  })
  it('has a line per value as a text', () => {
    expect(writeBarsAsText(chart)).toBe('Sessions per day\nMon: 0\nTue: 3\n<Wed>: 8')
  })
})

it('a page for a link of an e-mail has a form only with a button', () => {
  const page = renderPage(releaseParts({ title: 'Stop <e-mails>', text: 'a & b', button: 'Stop' }))
  expect(page).toContain(
    '<form method="post"><button dir="auto" style="font:inherit;padding:8px 16px">Stop</button></form></body>',
  )
  expect(page).toContain('<h1 dir="auto">Stop &lt;e-mails&gt;</h1><p dir="auto">a &amp; b</p>')
  expect(renderPage(releaseParts({ title: 't', text: 'x' }))).not.toContain('form')
})
