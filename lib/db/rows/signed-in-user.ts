import { sql } from 'kysely'

/** The columns of a UserResponse, of `users u` joined with `accounts a`. */
export const userColumns = sql`
  u.id, u.email, u.full_name, u.account_id, a.name as account_name, u.role, u.team_id, u.team_role, u.is_super_admin,
  u.email_verified_at is not null as email_verified, u.must_change_password, u.timezone, u.created_at, u.last_login_at`
