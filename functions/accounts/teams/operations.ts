import * as z from 'zod'
import { Member } from '#functions/accounts/accounts/schemas.ts'
import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as teams from './service.ts'

export const teamOperations = [
  operation({
    id: 'accounts.teams.list',
    route: 'GET /teams',
    summary: "List my account's teams",
    description: 'Sorted by name.',
    access: 'user',
    limit: 'read',
    paged: true,
    returns: z.array(schemas.Team),
    handle: ({ ctx, query }) => teams.list(ctx, query),
  }),

  operation({
    id: 'accounts.teams.create',
    route: 'POST /teams',
    summary: 'Create a team',
    description:
      'Members are added to it one by one, or with their invite. Names are unique in the account, in any spelling: a duplicate returns 409 `name_taken`.',
    access: 'account_admin',
    limit: 'write',
    body: schemas.TeamCreate,
    returns: schemas.Team,
    errors: ['name_taken'],
    handle: ({ ctx, body }) => teams.create(ctx, body.name),
  }),

  operation({
    id: 'accounts.teams.rename',
    route: 'PATCH /teams/{team_id}',
    summary: 'Rename a team or change its settings',
    description:
      'Changes the given fields. The zone applies to the team’s reports and schedules. At `handover_time` the handover of the last 12 hours is sent once a day, to who is on call and to the channels with the event `handover.due`.',
    access: 'account_admin',
    limit: 'write',
    params: schemas.TeamId,
    body: schemas.TeamUpdate,
    returns: schemas.Team,
    errors: ['name_taken'],
    handle: ({ ctx, params, body }) => teams.update(ctx, params.team_id, body),
  }),

  operation({
    id: 'accounts.teams.delete',
    route: 'DELETE /teams/{team_id}',
    summary: 'Delete a team',
    description:
      'The members of the team stay in the account, without a team. Its invites are revoked. A team that still owns content cannot be deleted: 409 `in_use`.',
    access: 'account_admin',
    limit: 'write',
    params: schemas.TeamId,
    errors: ['in_use'],
    handle: ({ ctx, params }) => teams.remove(ctx, params.team_id),
  }),

  operation({
    id: 'accounts.teams.assignMember',
    route: 'PUT /teams/{team_id}/members/{user_id}',
    summary: 'Assign a member to a team',
    description: 'The member leaves the previous team.',
    access: 'account_admin',
    stepUp: true,
    limit: 'write',
    params: schemas.TeamMemberId,
    body: schemas.TeamMembership,
    returns: Member,
    handle: ({ ctx, params, body }) =>
      teams.assignMember(ctx, params.team_id, params.user_id, body.team_role),
  }),

  operation({
    id: 'accounts.teams.getBranding',
    route: 'GET /teams/{team_id}/branding',
    summary: "Get a team's branding",
    description: 'The branding is used in exported documents of the team. A null field uses the default.',
    access: 'user',
    limit: 'read',
    params: schemas.TeamId,
    returns: schemas.Branding,
    handle: ({ ctx, params }) => teams.getBranding(ctx, params.team_id),
  }),

  operation({
    id: 'accounts.teams.updateBranding',
    route: 'PUT /teams/{team_id}/branding',
    summary: "Update a team's branding",
    description:
      'Only admins of this team and account admins may change the branding. Fields that are absent stay.',
    access: 'team_admin',
    limit: 'write',
    params: schemas.TeamId,
    body: schemas.BrandingUpdate,
    returns: schemas.Branding,
    handle: ({ ctx, params, body }) => teams.updateBranding(ctx, params.team_id, body),
  }),

  operation({
    id: 'accounts.teams.resetBranding',
    route: 'DELETE /teams/{team_id}/branding',
    summary: "Reset a team's branding",
    description: 'Restores the default branding.',
    access: 'team_admin',
    limit: 'write',
    params: schemas.TeamId,
    handle: ({ ctx, params }) => teams.resetBranding(ctx, params.team_id),
  }),
]
