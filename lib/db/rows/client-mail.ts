import { type RawBuilder, sql } from 'kysely'

const address = sql`p.details #>> '{mailed,address}'`

/**
 * The e-mail of a push `p` to the contact of its ticket, or null if none was requested. Its address is as
 * `show` has it; it is null until the e-mail was sent, and after its text was deleted.
 */
const clientMail = (show: RawBuilder<unknown>) => sql`
  case when p.details ? 'notify' then json_build_object('name', p.details #>> '{mailed,name}', 'address', ${show},
    'sent_at', case when p.details ? 'mailed' then app.iso(p.pushed_at) end, 'email_problem', app.mail_problem(${address})) end`

export const wholeClientMail = clientMail(address)
/** For callers who may not see the addresses of clients: of the name before the @ only the first letter. */
export const maskedClientMail = clientMail(sql`regexp_replace(${address}, '^(.)[^@]*', '\\1…')`)
