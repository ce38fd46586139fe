/** The guards that stop a signed-in caller. `set` activates a guard of an account, `lift` deactivates it. */
export const guards = [
  {
    code: 'email_not_verified',
    weight: 1,
    set: `update users set email_verified_at = null, created_at = now() - interval '73 hours' where account_id = $1`,
    lift: 'update users set email_verified_at = created_at where account_id = $1',
  },
  {
    code: 'subscription_lapsed',
    weight: 1,
    set: `update accounts set subscription_status = 'unpaid' where id = $1`,
    lift: `update accounts set subscription_status = 'trialing' where id = $1`,
  },
  {
    code: 'mfa_setup_required',
    weight: 2,
    set: 'update accounts set require_mfa = true where id = $1',
    lift: 'update accounts set require_mfa = false where id = $1',
  },
  {
    code: 'password_change_required',
    weight: 3,
    set: 'update users set must_change_password = true where account_id = $1',
    lift: 'update users set must_change_password = false where account_id = $1',
  },
]
