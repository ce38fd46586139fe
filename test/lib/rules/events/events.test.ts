import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Event, toAnnouncement } from '#rules/events/events.ts'
import { type EventKey, eventKeyList } from '#rules/events/keys.ts'
import { toSnippet } from '#rules/events/snippet.ts'

// Shrinking is off, because a shrunk text explains no more than the original.
const withoutShrinking = { endOnFailure: true, numRuns: 60 }

const id = '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1d11'
const actor = { actorId: id, teamId: id }
const escalation = {
  ...actor,
  key: 'session.escalated' as const,
  sessionId: id,
  engineerName: 'Dana Reyes',
  problemSummary: 'VPN drops',
  psaTicketId: null as string | null,
  targetUserId: null as string | null,
}

const approval = { caseKind: 'session' as const, approvalId: id, sessionId: id, userIds: ['r'] }
const createSubstitute = (scheduleName: string, name: string) => ({
  scheduleId: id,
  scheduleName,
  requestId: id,
  member: { id, name },
  startsAt: '2026-11-22T20:00:00.000Z',
  endsAt: '2026-11-23T06:00:00.000Z',
  timezones: ['Europe/Berlin', 'Asia/Kathmandu'],
  userIds: ['o'],
})

type SampleBuilders = { [Key in EventKey]: (text: string, name: string) => Extract<Event, { key: Key }> }
/** Functions that build an event of each key from a text and a name. */
const samples: SampleBuilders = {
  'session.escalated': (text, name) => ({
    ...escalation,
    engineerName: name,
    problemSummary: text,
    psaTicketId: name.slice(0, 50),
  }),
  'escalation.reminded': (text, name) => ({
    ...actor,
    key: 'escalation.reminded',
    sessionId: id,
    handoffId: id,
    problemSummary: text,
    psaTicketId: name.slice(0, 50),
    round: 1,
    rounds: 2,
    step: 1,
    userIds: ['u'],
    toldIds: ['v'],
    toldNames: [name],
    waitingSeconds: 90,
    details: {
      urgency: 'high',
      client_name: null,
      psa_ticket_id: null,
      reason: text,
      summary: text,
      what_was_tried: text,
      next_steps: text,
    },
  }),
  'escalation.unreached': (text, name) => ({
    ...actor,
    key: 'escalation.unreached',
    sessionId: id,
    handoffId: id,
    problemSummary: text,
    psaTicketId: name.slice(0, 50),
    round: 1,
    step: 1,
    isWholePolicy: true,
  }),
  'escalation.acknowledged': (text, name) => ({
    ...actor,
    key: 'escalation.acknowledged',
    sessionId: id,
    handoffId: id,
    problemSummary: text,
    engineerId: 'e',
    colleagueName: name,
  }),
  'handoff.claimed': (text, name) => ({
    ...actor,
    key: 'handoff.claimed',
    sessionId: id,
    sessionTitle: text,
    claimantName: name,
    engineerId: 'e',
  }),
  'handoff.assessment_ready': (text) => ({
    ...actor,
    key: 'handoff.assessment_ready',
    sessionId: id,
    sessionTitle: text,
    claimantId: 'c',
  }),
  'proposal.submitted': (text, name) => ({
    ...actor,
    key: 'proposal.submitted',
    proposalId: id,
    flowName: text,
    submitterName: name,
  }),
  'proposal.approved': (text) => ({
    ...actor,
    key: 'proposal.approved',
    proposalId: id,
    flowName: text,
    submitterId: 's',
  }),
  'proposal.rejected': (text) => ({
    ...actor,
    key: 'proposal.rejected',
    proposalId: id,
    flowName: text,
    submitterId: 's',
    reason: text,
  }),
  'approval.requested': (text, name) => ({
    ...actor,
    ...approval,
    key: 'approval.requested',
    subjectTitle: text,
    requesterName: name,
  }),
  'approval.decided': (text, name) => ({
    ...actor,
    ...approval,
    key: 'approval.decided',
    subjectTitle: text,
    approverName: name,
    isApproved: true,
    comment: text,
  }),
  'approval.expired': (text) => ({
    ...actor,
    ...approval,
    key: 'approval.expired',
    isNobodyLeft: false,
    subjectTitle: text,
  }),
  'session.timer_due': (text, name) => ({
    ...actor,
    key: 'session.timer_due',
    sessionId: id,
    flowName: name,
    stepTitle: text,
    userId: 'r',
  }),
  'handover.due': (text, name) => ({
    ...actor,
    key: 'handover.due',
    teamName: name,
    lines: [{ text, path: null }],
    frontendUrl: 'https://app.example',
    handoverTeamId: id,
    userIds: ['r'],
  }),
  'flow.review_due': (text) => ({
    ...actor,
    key: 'flow.review_due',
    ownerId: 'o',
    count: 1,
    flows: [{ treeId: id, name: text, dueOn: '2026-11-02', reviewedAt: null, evidence: undefined }],
  }),
  'maintenance.batch_created': (text) => ({
    ...actor,
    key: 'maintenance.batch_created',
    scheduleId: id,
    scheduleName: text,
    sessionCount: 2,
    ownerId: 'o',
  }),
  'maintenance.run_failed': (text) => ({
    ...actor,
    key: 'maintenance.run_failed',
    scheduleId: id,
    scheduleName: text,
    reason: text,
    ownerId: 'o',
  }),
  'psa.push_failed': (text) => ({
    ...actor,
    key: 'psa.push_failed',
    source: 'ai_session',
    sessionId: id,
    psaTicketId: '4711',
    reason: text,
    ownerId: 'o',
  }),
  'oncall.overridden': (text, name) => ({
    ...actor,
    key: 'oncall.overridden',
    scheduleId: id,
    scheduleName: text,
    memberName: name,
    memberId: id,
    startsAt: '2026-11-22T20:00:00.000Z',
    endsAt: '2026-11-23T06:00:00.000Z',
    isEnded: false,
    replacedIds: ['o'],
    userIds: ['o'],
    isOtherTeam: true,
    isMailed: false,
    timezones: ['Europe/Berlin'],
  }),
  'oncall.changed': (text, name) => ({
    ...actor,
    key: 'oncall.changed',
    scheduleId: id,
    scheduleName: text,
    member: { id, name },
    previous: { id, name },
    isDeleted: false,
    userIds: ['o'],
  }),
  'oncall.substitute_requested': (text, name) => ({
    ...actor,
    ...createSubstitute(text, name),
    key: 'oncall.substitute_requested',
    note: text,
  }),
  'oncall.substitute_updated': (text, name) => ({
    ...actor,
    ...createSubstitute(text, name),
    key: 'oncall.substitute_updated',
    outcome: 'accepted',
    colleague: { id, name },
  }),
  'oncall.shift_starts': (text, name) => ({
    ...actor,
    key: 'oncall.shift_starts',
    scheduleId: id,
    scheduleName: text,
    member: { id, name, timezone: 'Europe/Berlin' },
    startsAt: '2026-11-22T20:00:00.000Z',
    endsAt: '2026-11-23T06:00:00.000Z',
  }),
  'alert.opened': (text, name) => ({
    ...actor,
    key: 'alert.opened',
    alertId: id,
    title: text,
    text,
    clientName: name,
    machine: name,
    urgency: 'high',
    sourceName: name,
    aiSessionId: null,
    sessionId: id,
    ownerId: 'o',
  }),
  'alert.limited': (text, name) => ({
    ...actor,
    key: 'alert.limited',
    sourceId: id,
    sourceName: name,
    reason: text,
  }),
  'channel.disconnected': (_, name) => ({
    ...actor,
    key: 'channel.disconnected',
    configId: 'c',
    host: name,
    authorId: 'o',
  }),
  'phone.limited': () => ({ ...actor, key: 'phone.limited', gatewayId: 'g', dailyLimit: 100 }),
  'member.joined': (_, name) => ({ ...actor, key: 'member.joined', memberName: name, inviterId: 'i' }),
}

describe('toSnippet', () => {
  it('NOT-28 keeps up to 70 characters, and cuts a longer text to 70 and an ellipsis', () => {
    for (const character of ['a', '😀', 'é', '你']) {
      expect(toSnippet(character.repeat(70))).toBe(character.repeat(70))
      expect(toSnippet(character.repeat(71))).toBe(`${character.repeat(70)}…`)
    }
    expect(toSnippet('VPN drops')).toBe('VPN drops')
  })

  it('NOT-28 returns one line, and counts the length after collapsing white space', () => {
    expect(toSnippet('  VPN\r\n\tdrops\u2028again  ')).toBe('VPN drops again')
    expect(toSnippet(`${'x'.repeat(35)} \n ${'y'.repeat(34)}`)).toBe(`${'x'.repeat(35)} ${'y'.repeat(34)}`)
  })

  it('NOT-28 limits and collapses random texts', () => {
    const spaced = fc.string({
      unit: fc.constantFrom(' ', '\n', 'a', '😀', '你'),
      maxLength: 200,
      size: 'max',
    })
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary', maxLength: 200, size: 'max' }), spaced), (text) => {
        const line = Array.from(text.replace(/\s+/g, ' ').trim())
        const snippet = toSnippet(text)
        expect(Array.from(snippet).length).toBe(Math.min(71, line.length))
        expect(snippet).toBe(line.length > 70 ? `${line.slice(0, 70).join('')}…` : line.join(''))
        expect(snippet.isWellFormed()).toBe(true)
      }),
      withoutShrinking,
    )
  })
})

describe('toAnnouncement for an escalation', () => {
  it('NOT-27 NOT-38 returns a title with the engineer and the snippet', () => {
    expect(toAnnouncement(escalation).title).toBe('Dana Reyes escalated: VPN drops')
    const cut = toAnnouncement({ ...escalation, problemSummary: 'x'.repeat(500) })
    expect(cut).toMatchObject({ title: `Dana Reyes escalated: ${'x'.repeat(70)}…`, body: 'x'.repeat(500) })
  })

  it('NOT-29 NOT-38 returns a title that ends with the ticket, if there is one, even after a cut snippet', () => {
    expect(toAnnouncement({ ...escalation, psaTicketId: '4711' }).title).toBe(
      'Dana Reyes escalated: VPN drops (Ticket #4711)',
    )
    const cut = toAnnouncement({ ...escalation, problemSummary: 'x'.repeat(71), psaTicketId: '4711' })
    expect(cut.title).toBe(`Dana Reyes escalated: ${'x'.repeat(70)}… (Ticket #4711)`)
    expect(toAnnouncement(escalation).title).not.toContain('Ticket')
  })

  it('NOT-30 returns a link to the pickup of the session', () => {
    expect(toAnnouncement(escalation).link).toBe(`/pilot/${id}?pickup=true`)
  })

  it('notifies the admins and the target engineer, and sends e-mails to both', () => {
    expect(toAnnouncement(escalation)).toMatchObject({
      notifyAdmins: true,
      emailRecipients: true,
      userIds: [],
    })
    expect(toAnnouncement({ ...escalation, targetUserId: 'target' })).toMatchObject({
      notifyAdmins: true,
      userIds: ['target'],
    })
  })
})

describe('toAnnouncement for every event', () => {
  it('returns the key of the event and a title that no other event has', () => {
    expect(Object.keys(samples).sort()).toEqual([...eventKeyList].sort())
    for (const key of eventKeyList) expect(toAnnouncement(samples[key]('text', 'name')).key).toBe(key)
    expect(new Set(eventKeyList.map((key) => toAnnouncement(samples[key]('text', 'name')).title)).size).toBe(
      eventKeyList.length,
    )
  })

  it('NOT-30 returns a title and a link of at most 500 characters, for random texts', () => {
    const name = fc.string({ unit: 'binary', minLength: 1, maxLength: 200, size: 'max' })
    fc.assert(
      fc.property(
        fc.constantFrom(...eventKeyList),
        fc.string({ unit: 'binary', maxLength: 1000, size: 'max' }),
        name,
        (key, text, name) => {
          const { title, link } = toAnnouncement(samples[key](text, name))
          expect(title.trim()).not.toBe('')
          // It becomes the subject of an e-mail.
          expect(title).not.toMatch(/[\r\n]/)
          expect(Array.from(title).length).toBeLessThanOrEqual(500)
          expect(link).toMatch(/^\/[\w./?=-]{1,499}$/)
        },
      ),
    )
  })

  it.each([
    ['handoff.claimed', { userIds: ['e'], notifyAdmins: false }],
    ['handoff.assessment_ready', { userIds: ['c'], notifyAdmins: false }],
    ['proposal.submitted', { userIds: [], notifyAdmins: true }],
    ['proposal.approved', { userIds: ['s'], notifyAdmins: false }],
    ['proposal.rejected', { userIds: ['s'], notifyAdmins: false }],
    ['approval.decided', { userIds: ['r'], notifyAdmins: false }],
    ['approval.expired', { userIds: ['r'], notifyAdmins: false }],
    ['session.timer_due', { userIds: ['r'], notifyAdmins: false }],
    ['handover.due', { userIds: ['r'], notifyAdmins: false }],
    ['maintenance.batch_created', { userIds: ['o'], notifyAdmins: false }],
    ['maintenance.run_failed', { userIds: ['o'], notifyAdmins: true }],
    ['psa.push_failed', { userIds: ['o'], notifyAdmins: false }],
    ['oncall.overridden', { userIds: ['o'], notifyAdmins: true }],
    ['oncall.substitute_updated', { userIds: ['o'], notifyAdmins: false }],
    ['member.joined', { userIds: ['i'], notifyAdmins: false }],
  ] as const)(
    'NOT-48 NOT-50 NOT-51 NOT-52 NOT-53 notifies the recipients of %s, without personal e-mails',
    (key, recipients) => {
      expect(toAnnouncement(samples[key]('text', 'name'))).toMatchObject({
        ...recipients,
        emailRecipients: false,
      })
    },
  )

  it('NOT-49 notifies the admins of an assessment while the handoff is unclaimed', () => {
    const unclaimed = {
      ...actor,
      key: 'handoff.assessment_ready',
      sessionId: id,
      sessionTitle: 't',
      claimantId: null,
    } as const
    expect(toAnnouncement(unclaimed)).toMatchObject({
      userIds: [],
      notifyAdmins: true,
      link: `/pilot/${id}?pickup=true`,
    })
  })
})
