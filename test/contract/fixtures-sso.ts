import { organisationClientId } from '#local/vendors/identity/organisation.ts'
import type { Service } from '#test/support/app.ts'
import type { Person } from '#test/support/people.ts'
import {
  clientSecretOf,
  createIssuer,
  createOrganisation,
  insertConnection,
  obtainSsoCode,
} from '#test/support/sso.ts'
import { type Fixture, insertReturningId } from './fixture-rows.ts'
import { insertMember } from './fixtures-members.ts'

const connect: Fixture = async (service, { accountId }) => {
  await insertConnection(service, accountId, createIssuer(service))
  return {}
}

/** Insert a domain of the owner's account, of which it has at most 20. */
async function insertDomain(service: Service, { accountId }: Person): Promise<string> {
  await service.sql(
    `delete from sso_domains where id in (
       select id from sso_domains where account_id = $1 order by created_at desc, id desc offset 10)`,
    [accountId],
  )
  return insertReturningId(
    service,
    `insert into sso_domains (account_id, domain, token)
     values ($1, gen_random_uuid() || '.example', 'token-of-the-domain-0') returning id`,
    [accountId],
  )
}

/** Insert a member whom the provider of the account knows, and a domain. Return the id of the member. */
export async function insertLinkedMember(service: Service, owner: Person): Promise<string> {
  const userId = await insertMember(service, owner)
  await connect(service, owner)
  await insertDomain(service, owner)
  await service.sql(
    `insert into sso_identities (account_id, connection_id, issuer, subject, user_id)
     select account_id, id, issuer, $2, $3 from sso_connections where account_id = $1`,
    [owner.accountId, crypto.randomUUID(), userId],
  )
  await service.sql(
    `with u as (insert into scim_users (account_id, user_id, user_name) values ($1, $2, $2::uuid::text) returning account_id, user_id),
          g as (insert into scim_groups (account_id, display_name) values ($1, $2::uuid::text) returning id)
     insert into scim_group_members (account_id, group_id, user_id) select u.account_id, g.id, u.user_id from u, g`,
    [owner.accountId, userId],
  )
  return userId
}

export const ssoFixtures = {
  'accounts.sso.get': connect,
  'accounts.sso.put': async (service) => ({
    body: {
      issuer: createIssuer(service).issuer,
      client_id: organisationClientId,
      client_secret: clientSecretOf(service),
      group_roles: [{ group: 'service-desk', role: 'engineer', team_id: null }],
    },
  }),
  'accounts.sso.delete': connect,
  'accounts.sso.test': connect,
  'accounts.sso.createScimToken': connect,
  'accounts.sso.revokeScimToken': async (service, owner) => {
    await connect(service, owner)
    await service.sql(
      `update sso_connections set scim_hash = sha256('x'), scim_created_at = app.now() where account_id = $1`,
      [owner.accountId],
    )
    return {}
  },
  'accounts.sso.addDomain': async (service, owner) => {
    await insertDomain(service, owner)
    return { body: { domain: `${crypto.randomUUID()}.example` } }
  },
  'accounts.sso.verifyDomain': async (service, owner) => {
    const domain_id = await insertDomain(service, owner)
    const [row] = await service.sql<{ domain: string }>('select domain from sso_domains where id = $1', [
      domain_id,
    ])
    await fetch(`${service.localOrigin}/dns-query/_support-flow.${row?.domain}`, {
      method: 'PUT',
      body: 'support-flow-verification=token-of-the-domain-0',
    })
    return { params: { domain_id } }
  },
  'accounts.sso.removeDomain': async (service, owner) => ({
    params: { domain_id: await insertDomain(service, owner) },
  }),
  'accounts.sso.unlinkMember': async (service, owner) => ({
    params: { user_id: await insertLinkedMember(service, owner) },
  }),

  'identity.sso.lookUp': async () => ({ body: { email: 'dana@northwind.example' } }),
  'identity.sso.authorize': async (service) => ({
    body: { email: (await createOrganisation(service)).createEmail() },
  }),
  'identity.sso.completeSignIn': async (service) => {
    const { createEmail } = await createOrganisation(service)
    const { connectionId, ...body } = await obtainSsoCode(service, createEmail())
    return { params: { connection_id: connectionId }, body }
  },
} satisfies Record<string, Fixture>
