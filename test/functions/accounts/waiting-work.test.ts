import { afterAll, expect, it } from 'vitest'
import { type WaitingKind, waitingKinds, waitingWork } from '#db/waiting-work.ts'
import { insertAlertSource } from '#test/contract/fixtures-alerts.ts'
import { insertApproval } from '#test/contract/fixtures-approvals.ts'
import { insertConversation } from '#test/contract/fixtures-authoring.ts'
import { insertExport, insertImport } from '#test/contract/fixtures-exports.ts'
import { insertOverdueFlow, insertShare } from '#test/contract/fixtures-flows.ts'
import { insertBatch } from '#test/contract/fixtures-knowledge.ts'
import { insertSchedule } from '#test/contract/fixtures-maintenance.ts'
import { insertReportSubscription } from '#test/contract/fixtures-members.ts'
import { insertCalendarFeed } from '#test/contract/fixtures-oncall.ts'
import { insertRule } from '#test/contract/fixtures-psa.ts'
import { insertRun } from '#test/contract/fixtures-runner.ts'
import { insertBuilder } from '#test/contract/fixtures-scripts.ts'
import { insertSession } from '#test/contract/fixtures-sessions.ts'
import { createAiSession } from '#test/support/ai.ts'
import { createKey } from '#test/support/api-keys.ts'
import { request, startOwnService } from '#test/support/app.ts'
import { claimHandoff, escalateSession, pickUpSession } from '#test/support/escalations.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createFlow } from '#test/support/flows.ts'
import { createAccount, type Person, type TestAccount } from '#test/support/people.ts'
import { providerLeavings } from '#test/support/scim.ts'

const service = await startOwnService({})
afterAll(() => service.close())

interface Scene {
  account: TestAccount
  /** Who will no longer work. */
  leaver: Person
  colleague: Person
}
/** Make something wait for the leaver. Return what shows afterwards that it does not wait for nobody. */
type MakeWait = (scene: Scene) => Promise<() => Promise<unknown>>

/** What `admin` must be able to do afterwards. */
const canDo = (person: Person, method: string, path: string, body?: unknown) => async () => {
  const { status, text } = await person.call(method, path, body)
  expect(status, text).toBeOneOf([200, 201, 204])
}

async function escalateByColleague({ colleague }: Scene, target?: Person) {
  const { id } = await createAiSession(colleague)
  const { handoffId } = await escalateSession(colleague, id, target ? { target_user_id: target.id } : {})
  return { id, handoffId }
}

/** Nothing of the kind waits any more, or its next attempt fails. */
const isEnded =
  (statement: string, ...values: unknown[]) =>
  async () =>
    expect(await service.sql(statement, values)).toEqual([])

/** Make the next attempt of stored work, which finds that its person may no longer do it. */
const endsAtNextAttempt = (table: string, id: string) => async () => {
  await service.sql(`update ${table} set next_attempt_at = app.now() - interval '2 minutes' where id = $1`, [
    id,
  ])
  await service.stack.runCron()
  await expect
    .poll(() =>
      service.sql(`select state from ${table} where id = $1 and state in ('queued', 'retrying')`, [id]),
    )
    .toEqual([])
}

const ways: Record<WaitingKind, MakeWait> = {
  async claim(scene) {
    const { id, handoffId } = await escalateByColleague(scene)
    expectStatus(await claimHandoff(scene.leaver, id, handoffId), 200)
    return async () => expectStatus(await claimHandoff(scene.account.admin, id, handoffId), 200)
  },
  async escalation_to_them(scene) {
    const { id, handoffId } = await escalateByColleague(scene, scene.leaver)
    return async () => expectStatus(await claimHandoff(scene.account.admin, id, handoffId), 200)
  },
  async picked_up_case(scene) {
    const { id } = await escalateByColleague(scene)
    expectStatus(await pickUpSession(scene.leaver, id), 200)
    return async () => {
      const listed = await scene.account.admin.call('GET', '/ai-sessions?owner_left=true')
      expect(listed.body.map((item: { id: string }) => item.id)).toContain(id)
      await service.stack.runCron()
      await canDo(scene.account.admin, 'POST', `/ai-sessions/${id}/pickup`)()
    }
  },
  async ai_session({ account, leaver }) {
    const { id } = await createAiSession(leaver)
    return canDo(account.admin, 'POST', `/ai-sessions/${id}/abandon`)
  },
  async session({ account, leaver }) {
    const id = await insertSession(service, leaver)
    return canDo(account.admin, 'POST', `/sessions/${id}/complete`, { outcome: 'unresolved' })
  },
  async approval({ account, leaver, colleague }) {
    const ids = await insertApproval(service, leaver, colleague.id)
    await service.sql(
      `update approvals set approver_roles = '{}', approver_ids = array[$2::uuid] where id = $1`,
      [ids.approval_id, leaver.id],
    )
    const path = `/sessions/${ids.session_id}/approvals/${ids.approval_id}/approve`
    expectStatus(await account.admin.call('POST', path, {}), 403)
    return async () => {
      const waiting = await account.admin.call('GET', '/approvals')
      expect(waiting.body.map((item: { id: string }) => item.id)).toContain(ids.approval_id)
      await canDo(account.admin, 'POST', path, {})()
    }
  },
  async schedule({ account, leaver }) {
    const id = await insertSchedule(service, leaver)
    return async () => {
      const path = `/maintenance-schedules/${id}`
      expect(
        expectStatus(await account.admin.call('PATCH', path, { name: 'Patches' }), 200).body,
      ).toMatchObject({
        created_by: account.admin.id,
      })
    }
  },
  async ticket_rule({ account, leaver }) {
    const id = await insertRule(service, leaver)
    return canDo(account.admin, 'PATCH', `/integrations/psa/rules/${id}`, { user_id: account.admin.id })
  },
  async alert_source({ account, leaver }) {
    const { id } = await insertAlertSource(service, leaver)
    return canDo(account.admin, 'PATCH', `/alert-sources/${id}`, { user_id: account.admin.id })
  },
  async private_flow({ account, leaver }) {
    const { id } = await createFlow(leaver, { visibility: 'private' })
    return canDo(account.admin, 'PUT', `/trees/${id}`, { visibility: 'account' })
  },
  async flow_review({ account, leaver }) {
    const id = await insertOverdueFlow(service, leaver)
    // Both notices went to the leaver.
    await service.sql('update trees set review_notices = 2, review_notice_at = null where id = $1', [id])
    return async () => {
      await service.stack.runCron()
      const inbox = await account.admin.call('GET', '/notifications')
      expect(inbox.body.map((item: { event_key: string }) => item.event_key)).toContain('flow.review_due')
      await canDo(account.admin, 'POST', `/trees/${id}/review/confirm`)()
    }
  },
  async flow_conversation({ account, leaver }) {
    const id = await insertConversation(service, leaver)
    return canDo(account.admin, 'DELETE', `/ai/flow-builder/conversations/${id}`)
  },
  async script_session({ account, leaver }) {
    const id = await insertBuilder(service, leaver)
    return canDo(account.admin, 'DELETE', `/script-builder/sessions/${id}`)
  },
  async api_key({ account, leaver }) {
    // Only admins create keys, so the leaver is one for a moment.
    await service.sql(`update users set role = 'admin' where id = $1`, [leaver.id])
    const key = await createKey(service, { admin: leaver })
    expectStatus(await account.admin.call('GET', '/api-keys'), 200)
    return async () => expectStatus(await key.call('GET', '/trees'), 401)
  },
  async shared_link({ leaver }) {
    const { share_id } = await insertShare(service, leaver)
    return isEnded('select id from tree_shares where id = $1 and revoked_at is null', share_id)
  },
  async calendar_feed({ leaver }) {
    const { file } = await insertCalendarFeed(service, leaver)
    expectStatus(await request(service, 'GET', `/calendars/${file}`), 200)
    return async () => expectStatus(await request(service, 'GET', `/calendars/${file}`), 404)
  },
  async report({ leaver }) {
    const teamId = await insertReportSubscription(service, leaver)
    return async () => {
      const content = `select app.send_weekly_report($1, $2, '2026-W02', now() + interval '1 day', '{}') as id`
      expect(await service.sql(content, [leaver.accountId, teamId])).toEqual([])
    }
  },
  async queued_run({ leaver }) {
    const id = await insertRun(service, leaver, 'session_id', await insertSession(service, leaver))
    return endsAtNextAttempt('runner_runs', id)
  },
  async queued_push({ leaver }) {
    const [row] = await service.sql<{ id: string }>(
      `insert into psa_pushes (account_id, ticket_id, body, source_kind, source_id, requested_by, next_attempt_at)
       values ($1, '4711', 'Resolved', 'session', $2, $3, app.now() + interval '1 hour') returning id`,
      [leaver.accountId, crypto.randomUUID(), leaver.id],
    )
    return endsAtNextAttempt('psa_pushes', row?.id ?? '')
  },
  async ai_task({ leaver }) {
    const [row] = await service.sql<{ id: string }>(
      `insert into ai_tasks (account_id, user_id, sign_in_id, operation, path, body, next_attempt_at)
       values ($1, $2, $3, 'x', '/x', '{}', app.now() + interval '1 hour') returning id`,
      [leaver.accountId, leaver.id, leaver.signInId],
    )
    return endsAtNextAttempt('ai_tasks', row?.id ?? '')
  },
  async account_export({ leaver }) {
    const id = await insertExport(service, leaver)
    await service.sql(
      `update account_exports set state = 'queued', ready_at = null, expires_at = null where id = $1`,
      [id],
    )
    return endsAtNextAttempt('account_exports', id)
  },
  async account_import({ leaver }) {
    const id = await insertImport(service, leaver)
    await service.sql(`update account_imports set state = 'queued', finished_at = null where id = $1`, [id])
    return endsAtNextAttempt('account_imports', id)
  },
  async article_import({ leaver }) {
    const id = await insertBatch(service, leaver)
    return endsAtNextAttempt('kb_batches', id)
  },
}

const changes: Record<string, (scene: Scene) => Promise<unknown>> = {
  'is deactivated': async ({ account, leaver }) =>
    expectStatus(
      await account.admin.call('PATCH', `/accounts/me/members/${leaver.id}`, { is_active: false }),
      200,
    ).body.waiting_work,
  'becomes a viewer': async ({ account, leaver }) =>
    expectStatus(
      await account.admin.call('PATCH', `/accounts/me/members/${leaver.id}`, { role: 'viewer' }),
      200,
    ).body.waiting_work,
  'is removed': async ({ account, leaver }) => {
    const path = `/accounts/me/members/${leaver.id}`
    const before = expectStatus(await account.admin.call('GET', `${path}/work`), 200).body
    expectStatus(await account.admin.call('DELETE', path), 204)
    return before
  },
  ...Object.fromEntries(
    Object.entries(providerLeavings).map(([way, leave]) => [
      `leaves by ${way}`,
      async ({ account, leaver }: Scene) => {
        const path = `/accounts/me/members/${leaver.id}/work`
        const before = expectStatus(await account.admin.call('GET', path), 200).body
        const answer = await leave(service, account, leaver)
        expect(answer.status, answer.text).toBeOneOf([200, 204])
        return before
      },
    ]),
  ),
}

it.each(Object.keys(changes))(
  'AIS-46 APR-03 MNT-14 what waits for a member who %s is freed, taken over or ended, and the change says so',
  async (change) => {
    const account = await createAccount(service)
    const scene = { account, leaver: await account.addColleague(), colleague: await account.addColleague() }
    const checks: [string, () => Promise<unknown>][] = []
    for (const [kind, makeWait] of Object.entries(ways)) checks.push([kind, await makeWait(scene)])
    const told = (await changes[change]?.(scene)) as { kind: string; count: number; outcome: string }[]
    expect(told.map(({ kind }) => kind).toSorted()).toEqual(waitingKinds.toSorted())
    const failures: string[] = []
    for (const [kind, check] of checks)
      await Promise.resolve(check()).catch((error: Error) =>
        failures.push(`${kind}: ${error.message.split('\n')[0]}`),
      )
    expect(failures).toEqual([])
  },
)

it('AIS-46 the reminders of an escalation that was acknowledged by somebody who becomes a viewer go on at once', async () => {
  const account = await createAccount(service)
  const [leaver, colleague] = [await account.addColleague(), await account.addColleague()]
  const { id, handoffId } = await escalateByColleague({ account, leaver, colleague })
  await service.sql(
    `with f as (insert into escalation_follow_ups (account_id, session_id, handoff_id, rounds, steps, alert, acknowledged_by, acknowledged_at)
                  values ($1, $2, $3, 1, '[]', '{}', $4::uuid, now()) returning id)
       insert into escalation_reminders (account_id, follow_up_id, round, step, state) select $1, id, 1, 1, 'stopped' from f`,
    [account.id, id, handoffId, leaver.id],
  )
  expectStatus(
    await account.admin.call('PATCH', `/accounts/me/members/${leaver.id}`, { role: 'viewer' }),
    200,
  )
  expect(
    await service.sql(
      `select r.state, r.next_attempt_at <= app.now() as is_due, f.acknowledged_by
           from escalation_reminders r join escalation_follow_ups f on f.id = r.follow_up_id where r.account_id = $1`,
      [account.id],
    ),
  ).toEqual([{ state: 'waiting', is_due: true, acknowledged_by: null }])
})

/** Columns that say who did something or whose settings these are, of which nobody waits for anything. */
const saysWho = new Set(
  `alert_sources.created_by ai_branches.created_by ai_calls.user_id ai_facts.created_by ai_feedback.user_id ai_handoffs.created_by
   ai_handoffs.target_user_id ai_messages.author_id ai_outputs.created_by api_keys.id approvals.decided_by
   approvals.requested_by beta_feedback.user_id categories.created_by deliveries.user_id
   device_types.created_by diagram_versions.saved_by draft_templates.created_by email_changes.user_id
   escalation_follow_ups.acknowledged_by escalation_policies.created_by feedback.user_id
   flow_proposals.decided_by flow_proposals.submitted_by idempotency_keys.user_id identities.user_id
   invites.accepted_by invites.invited_by kb_imports.created_by library_steps.created_by
   mail_preferences.user_id mcp_servers.created_by network_diagrams.created_by network_diagrams.saved_by
   notifications.user_id on_call_overrides.created_by on_call_schedules.created_by on_call_substitute_requests.accepted_by
   on_call_substitute_requests.created_by onboarding.user_id
   one_time_tokens.user_id passkey_challenges.user_id passkeys.user_id passwords.user_id phone_numbers.user_id presence.user_id
   psa_callbacks.created_by psa_connections.created_by psa_member_mappings.user_id psa_rules.created_by
   recovery_codes.user_id runner_connections.created_by script_categories.created_by script_runs.run_by
   script_templates.created_by script_templates.saved_by script_templates.source_user_id
   script_versions.saved_by session_custom_steps.created_by session_decisions.decided_by session_fallbacks.decided_by session_ratings.rated_by session_ratings.session_user_id
   session_step_feedback.user_id session_supporting_data.created_by sign_in_challenges.user_id
   scim_group_members.user_id scim_users.user_id sign_ins.user_id sso_identities.user_id target_lists.created_by totp_factors.user_id tree_pins.user_id tree_versions.saved_by trees.reviewed_by
   uploads.created_by webhooks.created_by`.split(/\s+/),
)
/** Named by schedules of on call, which skip them and are listed by themselves. */
const onCall = new Set(['on_call_overrides.user_id', 'on_call_substitute_requests.user_id'])

it('every column that names a user either waits for them, or says who did something', async () => {
  const rows = await service.sql<{ place: string }>(
    `select c.conrelid::regclass || '.' || a.attname as place
       from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = any (c.conkey)
      where c.contype = 'f' and c.confrelid = 'users'::regclass and a.attname <> 'account_id'
     union select 'approvals.approver_ids' order by 1`,
  )
  const places = rows.map(({ place }) => place)
  expect(
    places.filter((place) => !(place in waitingWork) && !saysWho.has(place) && !onCall.has(place)),
  ).toEqual([])
  expect(
    [...Object.keys(waitingWork), ...saysWho, ...onCall].filter((place) => !places.includes(place)),
  ).toEqual([])
})
