import { createHash, randomBytes } from 'node:crypto'
import { verify } from '@node-rs/argon2'
import type { FastifyInstance } from 'fastify'
import { SignJWT } from 'jose'
import { pool, secret } from './caller.ts'

const tokenSeconds = 900
const body = {
  type: 'object',
  required: ['email', 'password'],
  properties: { email: { type: 'string', maxLength: 320 }, password: { type: 'string', maxLength: 200 } },
}

const selectHash = `
  select u.id, p.hash from users u join passwords p on p.user_id = u.id left join login_failures f on f.email = lower(u.email) and f.locked_until > now()
   where lower(u.email) = lower($1) and u.is_active and f.email is null`
const insertSignIn = `
  with u as (
    update users set last_login_at = now() where id = $1 and is_active returning *
  ), s as (
    insert into sign_ins (account_id, user_id, user_agent, ip, expires_at)
    select account_id, id, $2, $3, now() + interval '30 days' from u returning id
  ), inserted_token as (
    insert into refresh_tokens (hash, sign_in_id) select $4::bytea, id from s
  ), deleted_failures as (
    delete from login_failures f using u where f.email = lower(u.email)
  )
  select u.id, u.email, u.full_name, u.account_id, a.name as account_name, u.role, u.team_id, u.team_role, u.is_super_admin,
         u.email_verified_at is not null as email_verified, u.must_change_password, u.timezone, u.created_at, u.last_login_at, s.id as sign_in_id
    from u join accounts a on a.id = u.account_id, s`

/** Add the sign-in with a password. */
export function addLoginRoute(app: FastifyInstance): void {
  app.post<{ Body: { email: string; password: string } }>('/api/v1/auth/login', { schema: { body } }, async (request, reply) => {
    const { email, password } = request.body
    const { rows: found } = await pool.query({ name: 'hash', text: selectHash, values: [email] })
    if (!found[0] || !(await verify(found[0].hash, password))) return reply.code(401).send({ detail: 'Incorrect email or password' })
    const refresh_token = randomBytes(32).toString('base64url')
    const hash = `\\x${createHash('sha256').update(refresh_token).digest('hex')}`
    const values = [found[0].id, request.headers['user-agent'] ?? '', request.headers['cf-connecting-ip'] ?? request.ip, hash]
    const { rows } = await pool.query({ name: 'sign-in', text: insertSignIn, values })
    const { sign_in_id, ...user } = rows[0]
    const access_token = await new SignJWT({ acc: user.account_id, sid: sign_in_id })
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
      .setSubject(user.id)
      .setIssuedAt()
      .setExpirationTime(`${tokenSeconds}s`)
      .sign(secret)
    return { access_token, refresh_token, token_type: 'bearer', expires_in: tokenSeconds, user }
  })
}
