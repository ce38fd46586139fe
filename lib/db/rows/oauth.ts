import { sql } from 'kysely'
import * as z from 'zod'
import { now } from '#db/expressions.ts'
import type { PlatformDb } from '#db/scope.ts'
import { readStatement, writeStatement } from '#db/statement.ts'

/** A program that has registered itself. */
export const OAuthClient = z.object({ id: z.string(), name: z.string(), redirect_uris: z.array(z.string()) })
export type OAuthClient = z.output<typeof OAuthClient>

export function insertClient(db: PlatformDb, id: string, name: string, redirect_uris: string[]) {
  return db
    .insertInto('oauth_clients')
    .values({ id, name, redirect_uris })
    .returning(['id', 'name', 'redirect_uris', 'created_at'])
    .executeTakeFirstOrThrow()
}

export function selectClient(db: PlatformDb, id: string): Promise<OAuthClient | undefined> {
  return db
    .selectFrom('oauth_clients')
    .select(['id', 'name', 'redirect_uris'])
    .where('id', '=', id)
    .where('expires_at', '>', now)
    .executeTakeFirst()
}

/** What a person has agreed to. */
export interface NewCode {
  hash: string
  clientId: string
  signInId: string
  redirectUri: string
  codeChallenge: string
  scopes: readonly string[]
  ip: string
}

/** Insert a code, the audit entry of the consent, and the e-mail about it. */
export const insertCode = writeStatement(
  z.object({ delivery_id: z.string().nullable() }),
  (code: NewCode) => sql`
    with inserted_entry as (
      insert into audit_logs (account_id, actor_id, action, resource_type, changes, ip)
      select s.account_id, s.user_id, 'program_access.granted', 'program_access',
             jsonb_build_object('program', jsonb_build_object('to', c.name), 'scopes', jsonb_build_object('to', ${code.scopes}::text[])), ${code.ip}
        from sign_ins s, oauth_clients c where s.id = ${code.signInId} and c.id = ${code.clientId}
    ), mail as (
      insert into deliveries (account_id, channel, recipient, purpose, user_id)
      select u.account_id, 'email', u.email, 'program_added', u.id
        from sign_ins s join users u on u.account_id = s.account_id and u.id = s.user_id
       where s.id = ${code.signInId} returning id
    )
    insert into oauth_codes (hash, client_id, sign_in_id, redirect_uri, code_challenge, scopes)
    values (${code.hash}::bytea, ${code.clientId}, ${code.signInId}, ${code.redirectUri}, ${code.codeChallenge}, ${code.scopes}::text[])
    returning (select id from mail) as delivery_id`,
)

/** A grant, for which an access token is signed. */
const Grant = z.object({
  user_id: z.string(),
  account_id: z.string(),
  sign_in_id: z.string(),
  scopes: z.array(z.string()),
})
export type Grant = z.output<typeof Grant>

const clientLifetime = sql`app.now() + interval '90 days'`

export interface CodeExchange {
  codeHash: string
  clientId: string
  redirectUri: string
  /** SHA-256 of the code verifier, in base64url. */
  codeChallenge: string
  grantId: string
  refreshHash: string
  ip: string
}

/**
 * Use a code once, and insert the sign-in of the grant and its refresh token. Return undefined for a code
 * that is unknown, used, expired, of another client or another request, or of a sign-in that has ended. A
 * code is used up by any attempt.
 */
export const exchangeCode = writeStatement(
  Grant,
  (x: CodeExchange) => sql`
    with used_code as (
      update oauth_codes set used_at = app.now(), grant_id = ${x.grantId}
       where hash = ${x.codeHash}::bytea and used_at is null and expires_at > app.now() returning *
    ), s as (
      insert into sign_ins (id, account_id, user_id, user_agent, ip, expires_at, method, second_factor_at)
      select ${x.grantId}, a.account_id, a.user_id, c.name || ' (OAuth)', ${x.ip}, app.now() + interval '30 days', 'delegated', a.second_factor_at
        from used_code u
        join oauth_clients c on c.id = u.client_id
        join sign_ins a on a.id = u.sign_in_id and a.ended_at is null and a.expires_at > app.now()
        join users p on p.account_id = a.account_id and p.id = a.user_id and p.is_active
       where u.client_id = ${x.clientId} and u.redirect_uri = ${x.redirectUri} and u.code_challenge = ${x.codeChallenge}
      returning id, account_id, user_id
    ), used_client as (
      update oauth_clients set expires_at = ${clientLifetime} where id = ${x.clientId} and exists (select from s)
    ), inserted_token as (
      insert into oauth_refresh_tokens (hash, sign_in_id, client_id, scopes) select ${x.refreshHash}::bytea, s.id, u.client_id, u.scopes from s, used_code u
    )
    select s.user_id, s.account_id, s.id as sign_in_id, u.scopes from s, used_code u`,
)

/** End the grant of a code that is presented again, because one of the two has stolen it. */
export const endGrantOfUsedCode = writeStatement(
  null,
  (codeHash: string) => sql`
    update sign_ins s set ended_at = app.now() from oauth_codes c
     where c.hash = ${codeHash}::bytea and c.used_at is not null and s.id = c.grant_id and s.ended_at is null`,
)

/**
 * Use a refresh token and insert the next one. A grant ends 90 days after it began. Return undefined for a
 * token that is not valid, or that lacks one of the scopes; `null` asks for all of them.
 */
export const rotateGrant = writeStatement(
  Grant,
  (hash: string, nextHash: string, clientId: string, scopes: readonly string[] | null) => sql`
    with used_token as (
      update oauth_refresh_tokens set used_at = app.now()
       where hash = ${hash}::bytea and used_at is null and client_id = ${clientId} and (${scopes}::text[] is null or scopes @> ${scopes}::text[])
      returning sign_in_id, client_id, scopes
    ), s as (
      update sign_ins s set last_used_at = app.now(), expires_at = least(app.now() + interval '30 days', s.created_at + interval '90 days')
        from used_token t, users u
       where s.id = t.sign_in_id and s.ended_at is null and s.expires_at > app.now() and s.created_at + interval '90 days' > app.now()
         and u.id = s.user_id and u.is_active
      returning s.id, s.account_id, s.user_id
    ), used_client as (
      update oauth_clients set expires_at = ${clientLifetime} where id = ${clientId} and exists (select from s)
    ), inserted_token as (
      insert into oauth_refresh_tokens (hash, sign_in_id, client_id, scopes) select ${nextHash}::bytea, s.id, t.client_id, t.scopes from s, used_token t
    )
    select s.user_id, s.account_id, s.id as sign_in_id, t.scopes from s, used_token t`,
)

/**
 * Return the grant of a refresh token that was used less than 5 seconds ago, if the one that followed is not
 * used: a program with two requests at once, or one that has lost the answer, gets the same token again.
 */
export const repeatRotation = readStatement(
  Grant,
  (hash: string, nextHash: string, clientId: string, scopes: readonly string[] | null) => sql`
    select s.user_id, s.account_id, s.id as sign_in_id, t.scopes
      from oauth_refresh_tokens t
      join oauth_refresh_tokens n on n.hash = ${nextHash}::bytea and n.used_at is null and n.sign_in_id = t.sign_in_id
      join sign_ins s on s.id = t.sign_in_id and s.ended_at is null and s.expires_at > app.now()
      join users u on u.id = s.user_id and u.is_active
     where t.hash = ${hash}::bytea and t.used_at >= app.now() - interval '5 seconds' and t.client_id = ${clientId}
       and (${scopes}::text[] is null or t.scopes @> ${scopes}::text[])`,
)

/** Return whether a program has this refresh token and has not used it. */
export const hasUnusedToken = readStatement(
  z.object({ is_unused: z.boolean() }),
  (hash: string, clientId: string) => sql`
    select exists (select from oauth_refresh_tokens where hash = ${hash}::bytea and used_at is null and client_id = ${clientId}) as is_unused`,
)

/** End the grant of a refresh token that was used more than 5 seconds ago: two programs have it. */
export const endGrantOfReusedToken = writeStatement(
  null,
  (hash: string) => sql`
    update sign_ins s set ended_at = app.now() from oauth_refresh_tokens t
     where t.hash = ${hash}::bytea and t.used_at < app.now() - interval '5 seconds' and s.id = t.sign_in_id and s.ended_at is null`,
)

/** End the grant of a refresh token, used or not. */
export const endGrantOfToken = writeStatement(
  null,
  (hash: string) => sql`
    update sign_ins s set ended_at = app.now() from oauth_refresh_tokens t
     where t.hash = ${hash}::bytea and s.id = t.sign_in_id and s.ended_at is null`,
)

/** End the grant of an access token. A sign-in of a person that is no grant stays. */
export const endGrant = writeStatement(
  null,
  (signInId: string) => sql`
    update sign_ins s set ended_at = app.now()
     where s.id = ${signInId} and s.ended_at is null and exists (select from oauth_refresh_tokens t where t.sign_in_id = s.id)`,
)
