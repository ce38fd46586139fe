-- Weekly reports of teams, and who gets them by e-mail.

create table report_subscriptions (
  account_id uuid not null default app.account_id() references accounts on delete cascade,
  team_id    uuid not null,
  user_id    uuid not null default app.user_id(),
  created_at timestamptz(3) not null default app.now(),
  primary key (account_id, team_id, user_id),
  foreign key (account_id, team_id) references teams (account_id, id) on delete cascade,
  foreign key (account_id, user_id) references users (account_id, id) on delete cascade
);
create index report_subscriptions_user on report_subscriptions (account_id, user_id);

-- The reports that were sent by e-mail, at most one per team and week.
create table weekly_reports (
  id         uuid not null default uuidv7(),
  account_id uuid not null default app.account_id() references accounts on delete cascade,
  team_id    uuid not null,
  -- Of ISO 8601, such as 2026-W47. It begins on a Monday.
  week       text not null check (week ~ '^\d{4}-W\d{2}$'),
  due_at     timestamptz(3) not null,
  -- `lib/rules/reports/weekly.ts` has its shape.
  content    jsonb not null check (jsonb_typeof(content) = 'object'),
  created_at timestamptz(3) not null default app.now(),
  primary key (id),
  unique (account_id, id),
  unique (account_id, team_id, week),
  foreign key (account_id, team_id) references teams (account_id, id) on delete cascade
);
-- For the clean-up, which deletes by age in every account.
create index weekly_reports_age on weekly_reports (created_at);

call app.protect('report_subscriptions');
call app.delete_with_person('report_subscriptions');
call app.protect('weekly_reports');
grant select, insert, delete on report_subscriptions to app_runtime;
grant select (account_id) on weekly_reports to app_runtime;
grant select, insert, update, delete on report_subscriptions, weekly_reports to app_platform;

-- The team, its time zone, and the begin and the end of a week there. Without `p_week`, of the last week that has ended. Of `p_weeks_ago`, that
-- many weeks before.
create function app.team_week(p_team uuid, p_week text, p_weeks_ago integer default 0, p_now timestamptz default app.now())
returns table (team_id uuid, team_name text, timezone text, week text, monday text, starts_at timestamptz, ends_at timestamptz)
language sql stable rows 1 set search_path = public, pg_temp as $$
  select t.id, t.name, z.name, to_char(w.monday, 'IYYY-"W"IW'), to_char(w.monday, 'YYYY-MM-DD'), w.monday::timestamp at time zone z.name,
         (w.monday + 7)::timestamp at time zone z.name
    from teams t join accounts a on a.id = t.account_id,
    lateral (select app.known_timezone(coalesce(t.timezone, a.timezone)) as name) z,
    lateral (select coalesce(to_date(p_week || '-1', 'IYYY-"W"IW-ID'), date_trunc('week', p_now at time zone z.name)::date - 7)
                    - 7 * p_weeks_ago as monday) w
   where t.id = p_team
$$;

-- The reports that are due and were not sent: of the last four weeks that ended after somebody subscribed. A report is due on Monday at 8:00.
create function app.due_weekly_reports(p_limit integer, p_now timestamptz default app.now())
returns table (account_id uuid, team_id uuid, week text, due_at timestamptz) language sql stable set search_path = public, pg_temp as $$
  select s.account_id, s.team_id, w.week, d.due_at
    from (select r.account_id, r.team_id, min(r.created_at) as since from report_subscriptions r group by r.account_id, r.team_id) s
    join accounts a on a.id = s.account_id and a.erasing_at is null,
    generate_series(0, 3) ago,
    lateral app.team_week(s.team_id, null, ago, p_now) w,
    lateral (select w.ends_at + interval '8 hours' as due_at) d
   -- Most teams have had their report, and their time zone is not looked at.
   where not exists (select from weekly_reports r where r.account_id = s.account_id and r.team_id = s.team_id
                        and r.due_at > p_now - interval '6 days 12 hours')
     and d.due_at <= p_now and d.due_at > s.since
     and not exists (select from weekly_reports r where r.account_id = s.account_id and r.team_id = s.team_id and r.week = w.week)
   -- Each account has a turn, whatever others have.
   order by row_number() over (partition by s.account_id order by d.due_at, s.team_id), d.due_at, s.team_id limit p_limit
$$;

-- Store a report that is due, with an e-mail to each subscriber who may read it. Only the first caller stores it. Return the e-mails to publish.
create function app.send_weekly_report(p_account uuid, p_team uuid, p_week text, p_due timestamptz, p_content jsonb)
returns setof uuid language sql set search_path = public, pg_temp as $$
  with report as (
    insert into weekly_reports (account_id, team_id, week, due_at, content) values (p_account, p_team, p_week, p_due, p_content)
    on conflict (account_id, team_id, week) do nothing returning id
  ), mails as (
    insert into deliveries (account_id, channel, recipient, purpose, user_id, report_id)
    select p_account, 'email', u.email, 'weekly_report', u.id, r.id
      from report r, report_subscriptions s join users u on u.account_id = s.account_id and u.id = s.user_id
     where s.account_id = p_account and s.team_id = p_team and s.created_at < p_due and app.can_work(u)
    returning id, state
  )
  select id from mails where state = 'pending'
$$;
