import * as z from 'zod'
import type { Client } from '../client.ts'
import { waitForLink } from '../dashboard.ts'
import { type Person, TokenPair } from '../person.ts'

/** Invite two colleagues: Robin registers with the code in the e-mail, Noa signs in through Google. Return Robin. */
export async function inviteColleagues(client: Client, admin: Person): Promise<Person> {
  const robin = await registerWithInvite(client, admin)
  await signInWithInvite(client, admin)
  return robin
}

/** Invite an e-mail address and return the code in the e-mail. */
async function invite(client: Client, { accessToken }: Person, email: string): Promise<string> {
  const returns = z.object({ id: z.string(), email: z.literal(email), status: z.literal('open') })
  await client.api('POST', '/accounts/me/invites', { accessToken, body: { email, role: 'engineer' }, status: 201, returns })
  return waitForLink(client, email, /register\?code=([\w-]+)/)
}

async function registerWithInvite(client: Client, admin: Person): Promise<Person> {
  const email = `robin-${client.run}@example.com`
  const code = await invite(client, admin, email)
  const inviteDetails = z.object({ account_name: z.string(), inviter_name: z.string(), invited_email: z.literal(email) })
  await client.api('GET', `/accounts/invites/${code}/lookup`, { returns: inviteDetails })
  const body = { email, password: 'copper-lantern-27', full_name: 'Robin Hale', account_invite_code: code }
  const { access_token, user } = await client.api('POST', '/auth/register', { body, status: 201, returns: TokenPair })
  return { id: user.id, email, accessToken: access_token }
}

async function signInWithInvite(client: Client, admin: Person): Promise<void> {
  const email = `noa-${client.run}@example.com`
  const code = await invite(client, admin, email)
  client.print('  # A browser signs in at the identity provider and returns with a code.')
  const authorization = z.object({ authorization_url: z.url(), state: z.string() })
  const { authorization_url, state } = await client.api('GET', '/auth/oauth/google/authorize', { returns: authorization })
  const { pathname, searchParams } = new URL(authorization_url)
  const form = new URLSearchParams([...searchParams, ['email', email], ['name', 'Noa Lindqvist']])
  const returns = z.object({ code: z.string(), state: z.literal(state) })
  const redirect = await client.dashboard('POST', pathname, { form, status: 302, returns })
  const body = { ...redirect, account_invite_code: code }
  await client.api('POST', '/auth/oauth/google/callback', { body, returns: TokenPair })
}
