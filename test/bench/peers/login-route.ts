import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { verify } from '@node-rs/argon2'
import type { FastifyInstance } from 'fastify'
import { SignJWT } from 'jose'
import { query, secret } from './caller.ts'

const tokenSeconds = 900
const body = {
  type: 'object',
  required: ['email', 'password'],
  properties: { email: { type: 'string', maxLength: 320 }, password: { type: 'string', maxLength: 200 } },
}

// The attempt is counted before the password is verified, so that parallel guesses count too.
const countAttempt = `
  with a as (
    insert into sign_in_attempts as a (key, attempted_at, expires_at)
    values (sha256(convert_to(lower($1), 'UTF8')), array[now()], now() + interval '15 minutes')
    on conflict (key) do update set attempted_at = a.attempted_at || now(), expires_at = now() + interval '15 minutes'
    returning key, cardinality(attempted_at) as attempts
  )
  select u.id, p.hash, p.device_generation from a, users u join passwords p on p.user_id = u.id
   where lower(u.email) = lower($1) and u.is_active and a.attempts <= 10`
const insertSignIn = `
  with u as (
    update users set last_login_at = now() where id = $1 and is_active returning *
  ), s as (
    insert into sign_ins (account_id, user_id, user_agent, ip, expires_at)
    select account_id, id, $2, $3, now() + interval '30 days' from u returning id
  ), inserted_token as (
    insert into refresh_tokens (hash, sign_in_id) select $4::bytea, id from s
  ), deleted_attempts as (
    delete from sign_in_attempts a using u where a.key = sha256(convert_to(lower(u.email), 'UTF8'))
  )
  select u.id, u.email, u.full_name, u.account_id, a.name as account_name, u.role, u.team_id, u.team_role, u.is_super_admin,
         u.email_verified_at is not null as email_verified, u.must_change_password, u.timezone, u.created_at, u.last_login_at, s.id as sign_in_id
    from u join accounts a on a.id = u.account_id, s`

const signToken = (subject: string, claims: Record<string, unknown>, seconds: number) =>
  new SignJWT(claims)
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setSubject(subject)
    .setIssuedAt()
    .setExpirationTime(`${seconds}s`)
    .sign(secret)

/** Add the sign-in with a password. */
export function addLoginRoute(app: FastifyInstance): void {
  app.post<{ Body: { email: string; password: string } }>(
    '/api/v1/auth/login',
    { schema: { body } },
    async (request, reply) => {
      const { email, password } = request.body
      const { rows: found } = await query(request, { name: 'attempt', text: countAttempt, values: [email] })
      if (!found[0] || !(await verify(found[0].hash, password)))
        return reply.code(401).send({ detail: 'Incorrect email or password' })
      const refresh_token = randomBytes(32).toString('base64url')
      const hash = `\\x${createHash('sha256').update(refresh_token).digest('hex')}`
      const values = [
        found[0].id,
        request.headers['user-agent'] ?? '',
        request.headers['cf-connecting-ip'] ?? request.ip,
        hash,
      ]
      const { rows } = await query(request, { name: 'sign-in', text: insertSignIn, values })
      const { sign_in_id, ...user } = rows[0]
      const access_token = await signToken(user.id, { acc: user.account_id, sid: sign_in_id }, tokenSeconds)
      const device = { dev: randomUUID(), gen: found[0].device_generation }
      const device_token = await signToken(user.id, device, 180 * 86_400)
      return {
        access_token,
        refresh_token,
        token_type: 'bearer',
        expires_in: tokenSeconds,
        user,
        device_token,
      }
    },
  )
}
