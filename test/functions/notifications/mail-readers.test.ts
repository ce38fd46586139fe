import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { openPlatformDb } from '#db/scope.ts'
import { readStatement } from '#db/statement.ts'
import { writeMails } from '#functions/notifications/messages/service.ts'
import { sharedService } from '#test/support/app.ts'
import { openTestDatabase } from '#test/support/databases.ts'
import { createAccount, type Person } from '#test/support/people.ts'
import type { Ports } from '#vendors/ports.ts'
import { ClaimedDelivery, selectClaimed } from '#work/claimed-deliveries.ts'

const service = await sharedService()
const platform = openPlatformDb(openTestDatabase(service.settings.DATABASE_PLATFORM_URL), 'test', () => {})
const ctx = { ...(service.services?.ports as Ports), platform }

type Purpose = NonNullable<ClaimedDelivery['purpose']>
/** E-mails that are for whoever owns the address: about their own sign-in, or for no user of the account. */
const forTheAddress: Purpose[] = [
  'verify_email',
  'reset_password',
  'change_email',
  'email_change_requested',
  'email_changed',
  'identity_linked',
  'identity_unlinked',
  'password_changed',
  'chat_user_linked',
  'phone_number_added',
  'program_added',
  'second_factor_added',
  'second_factor_removed',
  'sign_in_without_sso',
  'account_deletion_requested',
  'account_deletion_cancelled',
  'verify_phone',
  'invite',
  'sales_lead',
  'feedback',
  'feedback_receipt',
]
const forWhoCanWork: (Purpose | 'alert')[] = ['weekly_report', 'alert']
const forAdmins: Purpose[] = ['webhook_disabled', 'export_ready', 'export_failed']

const purposes = ClaimedDelivery.shape.purpose.unwrap().options
const aboutTheAccount = [...purposes.filter((purpose) => !forTheAddress.includes(purpose)), 'alert'] as const

/** Store an e-mail to a person that waits for its next attempt. */
async function store({ id, accountId, email }: Person, purpose: (typeof aboutTheAccount)[number]) {
  const [row] = await service.sql<{ id: string }>(
    `with event as (
       insert into events (account_id, key, title, body) select $1, 'approval.requested', 'Approve', '' where $4 = 'alert' returning id),
     report as (
       insert into weekly_reports (account_id, team_id, week, due_at, content)
       select $1, team_id, '2026-W02', now(), '{}' from users where id = $2 and $4 = 'weekly_report' returning id)
     insert into deliveries (account_id, channel, recipient, user_id, purpose, event_id, event_key, report_id)
     select $1, 'email', $3, $2, nullif($4, 'alert'), (select id from event), case when $4 = 'alert' then 'approval.requested' end,
            (select id from report) returning id`,
    [accountId, id, email, purpose],
  )
  return row?.id ?? ''
}

const claim = readStatement(ClaimedDelivery, (id: string) =>
  selectClaimed(sql`(select * from deliveries where id = ${id})`),
)

/** The tokens of links that act without a sign-in, and what ends them beside their time. */
const linkTokens = {
  approvalTokens: 'the address',
  reviewTokens: 'the address',
  acknowledgementTokens: 'nothing: it stops reminders of one escalation for a day',
  unsubscribeTokens: 'nothing: it is of the address',
  exportTokens: 'the role',
  chatLinkTokens: 'the sign-in that confirms it',
  deviceTokens: 'the password',
}

it('NOT-126 each token of a link has decided whether it ends with the address', () => {
  const kinds = Object.keys(ctx).filter((name) => name.endsWith('Tokens'))
  expect(kinds.toSorted()).toEqual(Object.keys(linkTokens).toSorted())
})

describe.each(aboutTheAccount)('a waiting e-mail of the kind %s', (purpose) => {
  it.each([
    ['was deactivated', 'is_active = false', true],
    ['became a viewer', `role = 'viewer'`, [...forWhoCanWork, ...forAdmins].includes(purpose)],
    ['is no admin any more', `role = 'engineer'`, (forAdmins as string[]).includes(purpose)],
  ])(
    'NOT-126 is not sent to somebody who %s, if it is for who can work or for admins',
    async (_, set, ends) => {
      const { admin, addColleague } = await createAccount(service)
      await addColleague({ role: 'admin' })
      const id = await store(admin, purpose)
      await service.sql(`update users set ${set} where id = $1`, [admin.id])
      const delivery = await claim.one(platform, id)
      expect(delivery.may_receive).toBe(!ends)
      if (ends)
        expect(await writeMails(ctx, delivery)).toMatchObject({
          refusal: { error: 'The recipient has left or can no longer work', gone: true },
        })
    },
  )

  it('NOT-126 goes to the present address of its person', async () => {
    const { admin } = await createAccount(service)
    const id = await store(admin, purpose)
    const address = `moved-${admin.email}`
    await service.sql('update users set email = $2 where id = $1', [admin.id, address])
    expect((await claim.one(platform, id)).recipient).toBe(address)
  })
})
