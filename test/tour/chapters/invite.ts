import * as z from 'zod'
import type { Tour } from '#test/tour/client.ts'
import { waitForLink } from '#test/tour/dashboard.ts'
import { type Person, SignedIn } from '#test/tour/person.ts'

/**
 * Invite two colleagues: Robin registers with the code in the e-mail, Noa signs in through Google. Return
 * Robin.
 */
export async function inviteColleagues(tour: Tour, admin: Person): Promise<Person> {
  const robin = await registerWithInvite(tour, admin)
  await signInWithInvite(tour, admin)
  return robin
}

/** Invite an e-mail address and return the code in the e-mail. */
async function invite(tour: Tour, { client }: Person, email: string): Promise<string> {
  const returns = z.object({ id: z.string(), email: z.literal(email), status: z.literal('open') })
  await tour.call(() => client.accounts.invites.create({ email, role: 'engineer' }), { returns })
  return waitForLink(tour, email, /register\?code=([\w-]+)/)
}

async function registerWithInvite(tour: Tour, admin: Person): Promise<Person> {
  const email = `robin-${tour.run}@example.com`
  const code = await invite(tour, admin, email)
  const inviteDetails = z.object({
    account_name: z.string(),
    inviter_name: z.string(),
    invited_email: z.literal(email),
  })
  const client = tour.createClient()
  await tour.call(() => client.accounts.invites.lookUp({ code }), { returns: inviteDetails })
  const body = { email, password: 'copper-lantern-27', full_name: 'Robin Hale', account_invite_code: code }
  const { user } = await tour.call(() => client.identity.auth.register(body), { returns: SignedIn })
  return { id: user.id, email, client }
}

async function signInWithInvite(tour: Tour, admin: Person): Promise<void> {
  const email = `noa-${tour.run}@example.com`
  const code = await invite(tour, admin, email)
  tour.print('  # A browser signs in at the identity provider and returns with a code.')
  const authorization = z.object({ authorization_url: z.url(), state: z.string() })
  const { oauth } = tour.createClient().identity
  const { authorization_url, state } = await tour.call(() => oauth.authorize({ provider: 'google' }), {
    returns: authorization,
  })
  const { pathname, searchParams } = new URL(authorization_url)
  const form = new URLSearchParams([...searchParams, ['email', email], ['name', 'Noa Lindqvist']])
  const returns = z.object({ code: z.string(), state: z.literal(state) })
  const redirect = await tour.dashboard('POST', pathname, { form, status: 302, returns })
  const body = { ...redirect, account_invite_code: code }
  await tour.call(() => oauth.completeSignIn({ provider: 'google', ...body }), { returns: SignedIn })
}
