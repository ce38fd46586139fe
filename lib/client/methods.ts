// Written by `npm run client` from the declarations of the operations. Do not edit.
import type { BackgroundMethod, EventMethod, FollowMethod, Method, PagedMethod, StreamableMethod } from './method-types.ts'

/** One method per operation, named by its id. */
export interface Methods {
public: {
/** List public plans. In the order of `sort_order`. */
listPlans: Method<'public.listPlans'>
/** Get the configuration of the sign-in page. The ways to sign in that are switched on, and what a page needs before anyone has signed in. */
getConfig: Method<'public.getConfig'>
/** Submit a sales lead. Stores the lead for the sales team. */
createLead: Method<'public.createLead'>
}
identity: {
auth: {
/** Register a user. Creates an account on trial with the user as its admin. With `account_invite_code` the user joins the account of that invite instead. If registration is by invitation only, a platform invite code or an account's invite is required: 400 `invite_code_required`. An invalid platform invite code always returns 400 `invite_code_invalid`. Registrations of one IPv6 network (/48) are limited to 10 a minute together. */
register: Method<'identity.auth.register'>
/** Sign in with e-mail address and password. Ten failed sign-ins within 15 minutes lock the address for 15 minutes: 429 `sign_in_locked`. A device with a `device_token` has five attempts of its own. A user with a second factor gets an `mfa_token` for the challenge instead of tokens. */
login: Method<'identity.auth.login'>
/** Exchange a refresh token for new tokens. A refresh token can be used once. Using it again more than 5 seconds later revokes the sign-in with all its tokens: 401 `refresh_token_reused`. */
refresh: Method<'identity.auth.refresh'>
/** Sign out. Revokes the sign-in that the refresh token belongs to. Returns 204 for an unknown token too. */
logout: Method<'identity.auth.logout'>
/** Get my profile. `guards` lists the codes of the guards that block most operations for this user now. */
getMe: Method<'identity.auth.getMe'>
/** Update my profile. Changes the given fields. The e-mail address has an operation of its own, because it needs a confirmation. */
updateMe: Method<'identity.auth.updateMe'>
/** Delete my user. Ends my sign-ins and removes my name, address and credentials for good; colleagues see "Deleted user". What I created stays in the account, and the address can be registered again. The last admin of an account cannot: 409 `last_admin`. */
deleteMe: Method<'identity.auth.deleteMe'>
/** Get my feature flags. What my account’s plan and this installation allow. An operation of a feature that is off answers 403 `feature_disabled`. */
getFeatureFlags: Method<'identity.auth.getFeatureFlags'>
}
oauth: {
/** Start a sign-in with an identity provider. `state` is valid for 10 minutes. Before the redirect, store `state` where no other page can read it (`sessionStorage`). When the browser returns to `/oauth/{provider}/callback`, compare the `state` in the address with the stored one, then delete the stored one. Refuse the callback if they differ or none is stored: otherwise an attacker's link could sign people in as the attacker. Returns 404 for a provider that is not configured. */
authorize: Method<'identity.oauth.authorize'>
/** Complete a sign-in with an identity provider. Signs in the user of this identity. For an unknown identity a user is created: in the account of `account_invite_code`, or in a new account on trial. If another user has the e-mail address, the response is 409 `email_taken`; an identity is never linked to an existing user. If registration is by invitation only, a new user needs an invite: 400 `invite_code_required`. Returns 404 for a provider that is not configured and for an invalid invite, and 502 `oauth_provider_error` if the provider fails. The state and the code cannot be used again, even if the sign-in fails. */
completeSignIn: Method<'identity.oauth.completeSignIn'>
}
identities: {
/** List my linked identities. The accounts at identity providers that I can sign in with. */
list: Method<'identity.identities.list'>
/** Start linking an identity. Like the start of a sign-in with this provider, but only my present sign-in can use `state`. The provider redirects to the same page, `/oauth/{provider}/callback`; store beside `state` that an identity is to be linked. Returns 404 for a provider that is not configured. */
startLink: Method<'identity.identities.startLink'>
/** Link an identity to me. From then on the identity signs in this user, whatever its e-mail address is. Returns 409 `identity_taken` for an identity of another user, and 409 `provider_linked` if another identity of this provider is linked. The state and the code cannot be used again, even if the link fails. */
finishLink: Method<'identity.identities.finishLink'>
/** Unlink an identity from me. Sign-ins stay. Returns 409 `last_sign_in_method` unless I have a password, a passkey or another identity. */
unlink: Method<'identity.identities.unlink'>
}
credentials: {
/** Change my password. Revokes every other sign-in of the user, and a change of the e-mail address that is not confirmed yet. */
changePassword: Method<'identity.credentials.changePassword'>
/** Request a password reset. Sends a link by e-mail if an active user has this address, at most 3 in 15 minutes. Returns 202 either way. */
requestPasswordReset: Method<'identity.credentials.requestPasswordReset'>
/** Reset a password. Takes the token of the link in the e-mail. Revokes every sign-in of the user. */
resetPassword: Method<'identity.credentials.resetPassword'>
/** Verify an e-mail address. Takes the token of the link in the e-mail. */
verifyEmail: Method<'identity.credentials.verifyEmail'>
/** Resend my verification e-mail. Sends nothing if the address is verified already. */
resendVerification: Method<'identity.credentials.resendVerification'>
}
emailChanges: {
/** Change my e-mail address. Sends a link to the new address, and a notice to the present one. The address changes when somebody follows the link, which works once, within an hour. A newer change, a new password and `DELETE /auth/me/sessions` end it. The response is the same for an address that somebody else has, but no link is sent there. An address gets at most 3 links in 15 minutes. */
create: Method<'identity.emailChanges.create'>
/** Get the change of my e-mail address. Returns 404 if no change waits for its confirmation. */
get: Method<'identity.emailChanges.get'>
/** Cancel the change of my e-mail address. The link that was sent to the new address ends. The present address stays. */
cancel: Method<'identity.emailChanges.cancel'>
/** Confirm a new e-mail address. Takes the token of the link. From then on the user signs in with the new address, which is verified. Links in earlier e-mails to the old address end, and notifications that were not sent yet go to the new one. Sign-ins, linked identities and programs stay. An open invite of the account to the new address is revoked. Lists of addresses in notification configs stay as they are, and so does the customer at the billing provider. */
confirm: Method<'identity.emailChanges.confirm'>
}
signIns: {
/** List my sign-ins. Last used first. */
list: Method<'identity.signIns.list'>
/** Revoke one of my sign-ins. Its refresh token ends, so that this device has to sign in again. */
revoke: Method<'identity.signIns.revoke'>
/** Sign out everywhere. Revokes all my sign-ins, this one too, my device tokens, and a change of my e-mail address that is not confirmed yet. */
revokeAll: Method<'identity.signIns.revokeAll'>
}
consents: {
/** Get a program that asks for access. Anybody can register a program under any name, so the page of the consent should also show the host of `redirect_uri`, to which the browser continues. */
getClient: Method<'identity.consents.getClient'>
/** Give a program access. The frontend calls it when the person agrees. `redirect_to` is where the browser continues, with a code that is valid for 60 seconds. The program then acts as the person, within these scopes. It is listed among the sign-ins. */
create: Method<'identity.consents.create'>
}
streamTickets: {
/** Create a ticket for an EventSource. For `?ticket=` of an event stream, because a browser’s `EventSource` cannot send an access token. The ticket opens one stream within 60 seconds, and ends with the sign-in. The `EventSource` reconnects by itself: the ids of its events end with a secret, and `Last-Event-ID` with this secret admits the used ticket again for 24 hours. When `readyState` is `CLOSED`, create a new ticket and a new `EventSource` with `last_event_id`, the number before the dot of the last id. */
create: Method<'identity.streamTickets.create'>
}
mfa: {
/** Get my second factors. Whether an authenticator app is set up, and what is left of the recovery codes. */
get: Method<'identity.mfa.get'>
/** Start setting up an authenticator app. Answers the secret to scan. It counts as a second factor once a code of it was confirmed. */
createTotp: Method<'identity.mfa.createTotp'>
/** Switch on my authenticator app. The first second factor revokes my other sign-ins and returns recovery codes. */
verifyTotp: Method<'identity.mfa.verifyTotp'>
/** Remove my authenticator app. The recovery codes go with the last second factor. */
deleteTotp: Method<'identity.mfa.deleteTotp'>
/** Replace my recovery codes. The old codes end at once. The new ones are shown only here. */
replaceRecoveryCodes: Method<'identity.mfa.replaceRecoveryCodes'>
/** Sign in with a second factor. Ten wrong codes within 15 minutes lock it for 15 minutes: 429 `sign_in_locked`. */
completeChallenge: Method<'identity.mfa.completeChallenge'>
/** Verify my second factor again. Lifts `step_up_required` for 10 minutes. */
stepUp: Method<'identity.mfa.stepUp'>
}
passkeys: {
/** List my passkeys. With their names, and when each was used last. */
list: Method<'identity.passkeys.list'>
/** Start adding a passkey. Answers the options for `navigator.credentials.create`. They are valid for a few minutes. */
startRegistration: Method<'identity.passkeys.startRegistration'>
/** Add a passkey. The first second factor revokes my other sign-ins. */
finishRegistration: Method<'identity.passkeys.finishRegistration'>
/** Rename a passkey. The name helps me to tell my passkeys apart; it has no other effect. */
rename: Method<'identity.passkeys.rename'>
/** Delete a passkey. Refused with 409 while it is my last way to sign in. */
delete: Method<'identity.passkeys.delete'>
/** Start a sign-in with a passkey. Also for a challenge and a step-up. */
startSignIn: Method<'identity.passkeys.startSignIn'>
/** Sign in with a passkey. The second half of signing in with a passkey: sends what the browser signed, answers the tokens. */
signIn: Method<'identity.passkeys.signIn'>
}
}
accounts: {
onboarding: {
/** Get my onboarding status. The first steps in the service, and which of them I have done or dismissed. */
getStatus: Method<'accounts.onboarding.getStatus'>
/** Complete or skip an onboarding step. Steps can be left out, but a step below the highest one sent returns 409 `onboarding_step_passed`. Sending the same step again changes nothing, except that a skipped step can still be completed. */
completeStep: Method<'accounts.onboarding.completeStep'>
/** Dismiss the remaining onboarding steps. Steps that are done stay done. */
dismissRest: Method<'accounts.onboarding.dismissRest'>
}
/** Get my account. Returns the account with its plan, subscription, limits and usage. */
get: Method<'accounts.get'>
/** Update my account. Changes the given fields, such as the name and the settings of security. */
update: Method<'accounts.update'>
/** Delete my account. The account with everything in it is erased 14 days later, and every admin with a verified address gets an e-mail. Until then it works as before, and an admin can restore it. A repeated request changes nothing. */
delete: Method<'accounts.delete'>
/** Cancel the deletion of my account. Sends the admins an e-mail. Changes nothing if no deletion is scheduled. */
restore: Method<'accounts.restore'>
/** Get my account's usage and limits. At a limit, requests that need more get 409 `limit_reached`, or 429 `ai_budget_exhausted`. */
getUsage: Method<'accounts.getUsage'>
/** Get my account's preferences. Every preference with its value, or its default where nobody set one. */
getPreferences: Method<'accounts.getPreferences'>
/** Update my account's preferences. Changes the given keys and leaves the others. Some keys need an account admin. */
updatePreferences: Method<'accounts.updatePreferences'>
/** List my account's members. Sorted by name. */
listMembers: PagedMethod<'accounts.listMembers'>
/** Update a member. Changes the role, the team or the active flag. The last active admin cannot be demoted or deactivated: 409 `last_admin`. Activating a member needs a free seat: 409 `seat_limit_reached`. */
updateMember: Method<'accounts.updateMember'>
/** Deactivate a member. Revokes the member's sign-ins. Content that the member created stays. `GET /accounts/me/members/{user_id}/on-call` lists the on-call schedules and escalation policies that name them. */
removeMember: Method<'accounts.removeMember'>
/** Remove a member's second factors. Revokes the member's sign-ins. A super admin's are removed by super admins only. */
resetMemberMfa: Method<'accounts.resetMemberMfa'>
/** Send e-mails to a member again. Ends the `email_problem` of a member whose address works again. Returns 409 `email_complaint` after a complaint: only the member can take it back, with the link of an e-mail about their sign-in. */
endEmailProblem: Method<'accounts.endEmailProblem'>
/** List my account's audit log. Newest first. */
listAuditLog: PagedMethod<'accounts.listAuditLog'>
exports: {
/** Export my account's data. Starts a job that writes a ZIP archive: `manifest.json`, a JSON Lines file per kind of record, flows as markdown and uploads. It contains what every member can see, private flows too, but no passwords, keys or other secrets. An e-mail tells when it is ready. One export runs at a time. */
create: Method<'accounts.exports.create'>
/** List my account's exports. Newest first. An export is listed for 90 days after its archive was deleted. */
list: PagedMethod<'accounts.exports.list'>
/** Get an export. Its state and progress, and where to download it when it is finished. */
get: Method<'accounts.exports.get'>
/** Create a download link. The link works without a sign-in, for 24 hours. It ends earlier when its creator is no active admin any more. */
createLink: Method<'accounts.exports.createLink'>
/** Download an export. The address of a download link. */
download: Method<'accounts.exports.download'>
}
imports: {
/** Import an export into my account. Starts a job that restores settings, teams, categories, scripts, device types, diagrams, target lists, the step library, and flows with their versions. The account must have no flows, scripts, diagrams and target lists: 409 `account_not_empty`. Everything gets new ids and belongs to the caller. Either all is stored, when the import has `succeeded`, or nothing. One import runs at a time. An archive has at most 16 MiB, and 64 MiB of restored records; `contents: restorable` makes a smaller one. */
create: Method<'accounts.imports.create'>
/** Get an import with its progress. It can be read for 90 days. */
get: Method<'accounts.imports.get'>
}
invites: {
/** List my account's invites. Open and past invites, newest first. */
list: PagedMethod<'accounts.invites.list'>
/** Invite a colleague by e-mail. Members and open invites together must not exceed the seats of the plan: 409 `seat_limit_reached`. 409 `already_member` names the member (`member_id`) and says whether they are active: who was removed is activated again instead. */
create: Method<'accounts.invites.create'>
/** Revoke an invite. The link in the mail ends. 409 when the invite was accepted or has ended. */
revoke: Method<'accounts.invites.revoke'>
/** Resend an invite. Sends a new code by e-mail and extends the invite to 7 days from now. Earlier codes become invalid. */
resend: Method<'accounts.invites.resend'>
/** Look up an invite by its code. Returns the same 404 for unknown, expired, revoked and used codes. */
lookUp: Method<'accounts.invites.lookUp'>
}
teams: {
/** List my account's teams. Sorted by name. */
list: PagedMethod<'accounts.teams.list'>
/** Create a team. Members are added to it one by one, or with their invite. */
create: Method<'accounts.teams.create'>
/** Rename a team or change its settings. Changes the given fields. The zone applies to the team’s reports and schedules. At `handover_time` the handover of the last 12 hours is sent once a day, to who is on call and to the channels with the event `handover.due`. */
rename: Method<'accounts.teams.rename'>
/** Delete a team. The members of the team stay in the account, without a team. A team that still owns content cannot be deleted: 409 `in_use`. */
delete: Method<'accounts.teams.delete'>
/** Assign a member to a team. The member leaves the previous team. */
assignMember: Method<'accounts.teams.assignMember'>
/** Get a team's branding. The branding is used in exported documents of the team. A null field uses the default. */
getBranding: Method<'accounts.teams.getBranding'>
/** Update a team's branding. Only admins of this team and account admins may change the branding. Fields that are absent stay. */
updateBranding: Method<'accounts.teams.updateBranding'>
/** Reset a team's branding. Restores the default branding. */
resetBranding: Method<'accounts.teams.resetBranding'>
}
apiKeys: {
/** List my account's API keys. Keys that are not revoked, newest first, with their last use. */
list: PagedMethod<'accounts.apiKeys.list'>
/** Create an API key. The answer is the only one with `key`. The key is revoked when its creator is deactivated or is no account admin any more. An account has at most 50 keys. */
create: Method<'accounts.apiKeys.create'>
/** Revoke an API key. Applies to the next request, and to open streams within 30 seconds. What the key created stays. */
revoke: Method<'accounts.apiKeys.revoke'>
}
}
flows: {
pins: {
/** List my pinned flows. Sorted in the order that I chose. */
list: Method<'flows.pins.list'>
/** Reorder my pinned flows. Sends the ids in the new order, and answers the pinned flows in it. */
reorder: Method<'flows.pins.reorder'>
/** Pin a flow. The flow becomes my last pin. Pinning it again changes nothing. I can have at most 100 pins: 409 `limit_reached`. */
pin: Method<'flows.pins.pin'>
/** Unpin a flow. The flow itself stays as it is. Unpinning a flow that is not pinned has no effect. */
unpin: Method<'flows.pins.unpin'>
}
health: {
/** List the health of flows. Lists the published flows of the account that I can see. Those with the most sessions of the last 90 days that ended unresolved come first, then those with the most broken links. */
list: PagedMethod<'flows.health.list'>
/** Get the health of a flow. Lists what an author should look at, such as options that nobody chooses, steps that many skip, broken links and a low share of resolved sessions. With fewer than 20 sessions, steps are not judged: `not_enough_sessions`. */
get: Method<'flows.health.get'>
}
trees: {
/** List flows. Lists the flows of the account that I can see, and the flows that ship with the service. Most used first unless `sort_by` is set. */
list: PagedMethod<'flows.trees.list'>
/** Create a flow. The flow is published unless `status` is `draft`. A flow that fails validation returns 400 `flow_invalid` with all `errors`: `[{node_id, path, message}]`. */
create: Method<'flows.trees.create'>
/** Get a flow. Includes the structure and the intake form. */
get: Method<'flows.trees.get'>
/** Update a flow. Changes the fields of the body and saves a new version. A published flow stays published and must pass validation (400 `flow_invalid`), unless `status` is `draft`. An outdated `expected_version` returns 409 `stale_version` with `current_version`. */
update: Method<'flows.trees.update'>
/** Delete a flow. Running sessions continue. The share links of the flow stop working, and its library steps become inactive. */
delete: Method<'flows.trees.delete'>
/** Check whether a flow can be published. Lists every error that prevents publishing, and every warning. */
validatePublish: Method<'flows.trees.validatePublish'>
}
versions: {
/** List the versions of a flow. Newest first. */
list: PagedMethod<'flows.versions.list'>
/** Get a version of a flow. As it was saved then, with who saved it and when. */
get: Method<'flows.versions.get'>
/** Compare two versions of a flow. What was added, removed and changed, place by place. */
compare: Method<'flows.versions.compare'>
/** Restore an old version. Saves the content of the old version as the newest version. A published flow stays published: an old version that cannot be published returns 400 `flow_invalid`. */
restore: Method<'flows.versions.restore'>
}
forks: {
/** Fork a flow. The fork is a draft that belongs to me. Flows of the account and flows that ship with the service can be forked. */
create: Method<'flows.forks.create'>
/** List the forks of a flow. The forks that I can see, newest first. */
list: PagedMethod<'flows.forks.list'>
}
sharing: {
/** Create a share link. The link opens the public part of the flow without sign-in while the flow is published. It ends when its creator leaves the account or is deactivated, and when the visibility of the flow becomes narrower. Returns 409 `wrong_state` for a draft. */
create: Method<'flows.sharing.create'>
/** List the share links of a flow. Newest first, without expired and revoked links. */
list: PagedMethod<'flows.sharing.list'>
/** Revoke a share link. The public address of the flow ends at once. */
revoke: Method<'flows.sharing.revoke'>
/** Get a shared flow. Titles, descriptions, options and the intake form, without attachments, scripts, approvals and sub-flows. Returns 404 if the link is unknown, expired, revoked or has ended, or if its flow is a draft or was deleted. */
openLink: Method<'flows.sharing.openLink'>
}
transfer: {
/** Export a flow as a file. The file is named `<slug>.rfflow`. */
export: Method<'flows.transfer.export'>
/** Import a flow file as a draft. A missing category is created; an existing one of the same name is used. A file with another version of the format returns 400 `unsupported_version`. Problems that prevent publishing are returned as warnings. */
import: Method<'flows.transfer.import'>
}
markdown: {
/** Export a flow as markdown. The file is named `<slug>.md`. Importing it creates a draft with the same content. */
export: Method<'flows.markdown.export'>
/** Import a markdown flow as a draft. A missing category is created; an existing one of the same name is used. A file that cannot be parsed returns 400 `markdown_invalid` with all `problems`: `[{line, message}]`. Problems that prevent publishing are returned as warnings. */
import: Method<'flows.markdown.import'>
/** Validate a markdown flow. Lists the lines that cannot be parsed. A file that can be parsed is also checked for problems that prevent publishing. Stores nothing. */
validate: Method<'flows.markdown.validate'>
}
foreign: {
/** Import a flow of another tool. Accepts an exported flow of Typebot (JSON), a job of Rundeck (YAML or JSON) and a playbook of XSOAR (YAML); the content tells which. Conditions become decisions, inputs become fields of the intake form, and code stays code that a person runs. What has no counterpart is in `warnings`, together with the problems that prevent publishing the draft. A text that is none of these is a 422. */
import: Method<'flows.foreign.import'>
}
categories: {
/** List flow categories. Sorted by name. `flow_count` counts the flows that I can see. */
list: PagedMethod<'flows.categories.list'>
/** Create a category. Names are unique in the account, ignoring case: a duplicate returns 409 `name_taken`. */
create: Method<'flows.categories.create'>
/** Rename a category. The flows of the category keep it under its new name. */
rename: Method<'flows.categories.rename'>
/** Delete a category. The flows of the category stay and have no category. */
delete: Method<'flows.categories.delete'>
/** List the tags in use. The tags of the flows that I can see, most used first. */
listTags: PagedMethod<'flows.categories.listTags'>
}
stepLibrary: {
/** List library steps. Lists steps that were written for the library and steps of published flows, sorted by title. */
list: PagedMethod<'flows.stepLibrary.list'>
/** Add a step to the library. A step of the library can be inserted into any flow, as a copy. */
create: Method<'flows.stepLibrary.create'>
/** Get a library step. The step with its text and its statistics. */
get: Method<'flows.stepLibrary.get'>
/** Update a library step. A step that belongs to a flow can only be changed there: 400 `managed_by_flow`. */
update: Method<'flows.stepLibrary.update'>
/** Delete a library step. A step that belongs to a flow can only be deleted there: 400 `managed_by_flow`. */
delete: Method<'flows.stepLibrary.delete'>
}
gallery: {
/** List public flows and scripts. Returns 404 while the gallery is switched off, like every operation of the gallery. */
list: Method<'flows.gallery.list'>
/** List gallery categories. Includes the number of items in each category. */
listCategories: Method<'flows.gallery.listCategories'>
/** Search the gallery. Published flows and scripts whose name or description has the words, the best match first. */
search: Method<'flows.gallery.search'>
/** Get a public flow. Includes the first three levels of a tree, or all steps of a list. */
getFlow: Method<'flows.gallery.getFlow'>
/** Get a script of the gallery. Includes the parameters of the script, but not its body. */
getScript: Method<'flows.gallery.getScript'>
}
}
sessions: {
batches: {
/** Prepare a batch of sessions. Prepares one session of a maintenance flow per target, all or none. Returns 400 `not_published` for a draft, `wrong_flow_type` for another type of flow, and `not_own_team` for a flow of another team or of the platform. A missing or invalid answer of a target returns 422 at `body.targets.<n>.variables.<key>`. Each session is started separately. */
create: Method<'sessions.batches.create'>
/** Get the progress of a batch. How many of its sessions there are, and how many of them are in each state. */
getProgress: Method<'sessions.batches.getProgress'>
}
/** List sessions. Lists the sessions of the account that match every filter, newest first. */
list: PagedMethod<'sessions.list'>
/** Start a session. Runs a flow for a ticket or a client. A draft returns 400 `not_published`. A missing or invalid answer to the intake form returns 422 at `body.variables.<key>`. */
start: Method<'sessions.start'>
/** Prepare a session. Stores a session to start later. An invalid answer to the intake form returns 422; missing answers are required when the session starts. */
prepare: Method<'sessions.prepare'>
/** Get a session. Includes the version of the flow that the session runs, and the answers so far. */
get: Method<'sessions.get'>
/** Update or abandon a session. Ticket, client, notes and next steps can be changed in every state. `state: "abandoned"` needs a session that is prepared or in progress (409 `wrong_state` otherwise). Only the user of the session and account admins may change it. */
update: Method<'sessions.update'>
/** Delete a session. Also deletes the answers, notes and supporting data. Only the user of the session and account admins may delete it. */
delete: Method<'sessions.delete'>
/** Start a prepared session. The body adds or replaces answers. A session that is not prepared returns 409 `wrong_state`. A missing or invalid answer returns 422 at `body.variables.<key>`. */
startPrepared: Method<'sessions.startPrepared'>
/** Update session variables. Needs a session that is prepared or in progress (409 `wrong_state` otherwise). The body contains the variables to set; the response contains all variables. An invalid answer to the intake form returns 422 at `body.<key>`. */
updateVariables: Method<'sessions.updateVariables'>
steps: {
/** Answer the current step. A decision needs `option_id`, any other step `outcome`; an answer that does not match the step returns 422. The session moves to the next step. A step that is not current returns 409 `step_not_current` with `current_step_id`. A `fallback` without an answer is recorded, and the current step stays. Missing evidence returns 422 at `body.note` or `body.evidence.<key>`. A step that a colleague must approve first returns 409 `approval_required` with the newest `approval`. */
recordDecision: Method<'sessions.steps.recordDecision'>
/** Answer the current step, briefly. Does what `POST /sessions/{session_id}/decisions` does, and returns only what the answer has changed: not the flow and not the earlier answers. */
answer: Method<'sessions.steps.answer'>
/** Undo the last answer. The step of that answer becomes the current step. Also deletes fallback steps recorded since. Returns 409 `no_decision` if there is no answer. */
undoDecision: Method<'sessions.steps.undoDecision'>
/** Add a custom step. Records a step that is not part of the flow. The current step stays. A session can have at most 100 custom steps: 409 `limit_reached`. */
addCustomStep: Method<'sessions.steps.addCustomStep'>
/** Complete a session. A session in progress can be completed at every step, unless a sub-flow is running (409 `subflow_running`). Any other session returns 409 `wrong_state`. Completing a sub-flow answers the step that runs it. */
complete: Method<'sessions.steps.complete'>
/** Save a session as a draft flow. The new flow is a fork of the session’s flow and includes the custom steps. A flow that exceeds the limits returns 400 `flow_invalid`. */
saveAsTree: Method<'sessions.steps.saveAsTree'>
}
subflows: {
/** List the sub-flows of a session. Lists the sessions of sub-flows that the steps of this session started, oldest first. */
list: PagedMethod<'sessions.subflows.list'>
/** Start the sub-flow of the current step. Starts a session of the flow that the step runs, in its current version. The session waits until the sub-flow is completed, abandoned or deleted. A flow that cannot be run returns 409 `subflow_unavailable` with a `reason`; the step can then be answered by hand. A missing or invalid answer returns 422 at `body.variables.<key>`. */
start: Method<'sessions.subflows.start'>
}
notes: {
/** List supporting data of a session. Texts and screenshots, oldest first. */
listSupportingData: PagedMethod<'sessions.notes.listSupportingData'>
/** Add supporting data to a session. Adds a text, or a screenshot whose image may be uploaded later. Only the user of the session and account admins may add data, in every state of the session. */
addSupportingData: Method<'sessions.notes.addSupportingData'>
/** Update supporting data of a session. Changes the given fields of one item. */
updateSupportingData: Method<'sessions.notes.updateSupportingData'>
/** Delete supporting data of a session. Exports and notes made from now on are without it. */
deleteSupportingData: Method<'sessions.notes.deleteSupportingData'>
/** Rate a session. Every user of the account can rate the session. A second rating replaces the first. The session itself does not change. */
rateSession: Method<'sessions.notes.rateSession'>
/** Get the rating of a session. Returns 404 if the session is not rated. */
getRating: Method<'sessions.notes.getRating'>
/** Rate a step of a session. Records whether the step helped. A second rating by the same user replaces the first. */
rateStep: Method<'sessions.notes.rateStep'>
}
scriptRuns: {
/** List script runs of a session. What scripts did on machines, oldest first. */
list: PagedMethod<'sessions.scriptRuns.list'>
/** Record a script run in a session. Records what a script did on a machine. Exports and ticket notes show it with its step. Only the user of the session and account admins may record runs, in every state of the session. Returns 409 `limit_reached` if the session has 40. */
create: Method<'sessions.scriptRuns.create'>
}
approvals: {
/** List approvals that wait for me. Lists the pending approvals of the account that I may decide. Those that expire first come first. Get an approval to read its text before you decide. */
listWaiting: PagedMethod<'sessions.approvals.listWaiting'>
/** List the approvals of a session. Lists the approvals in every state, newest first. */
list: PagedMethod<'sessions.approvals.list'>
/** Get an approval. Returns also the text that is to be approved. */
get: Method<'sessions.approvals.get'>
/** Request approval of the current step. Notifies everyone who may approve the step, except me and the user of the session. Returns 409 `wrong_state` if the step needs no approval, `already_pending` or `already_decided` if it has one, `no_approver` if nobody else may approve, and `limit_reached` if variables make the text too long. The approval ends when the session moves on or ends, or when a variable changes the text of the step. */
request: Method<'sessions.approvals.request'>
/** Approve a request. Of concurrent decisions one counts; the others get 409 `already_decided`. An approval that has expired or was voided returns 409 `wrong_state`. Whoever requested it or runs the session, and whoever no longer has the role, gets 403. */
approve: Method<'sessions.approvals.approve'>
/** Reject a request. Returns the same errors as approving it. The technician can request another approval. */
reject: Method<'sessions.approvals.reject'>
}
approvalLinks: {
/** Show the page to decide an approval. Changes nothing. A link that was used, or whose request has ended, returns 410 `link_ended`; browsers get a page. */
showPage: Method<'sessions.approvalLinks.showPage'>
/** Decide an approval with one click. The link of a message belongs to its approver, and to what was to be approved. It decides once, while the request is open and the approver may decide it. Ignores the body. */
decide: Method<'sessions.approvalLinks.decide'>
}
exports: {
/** Export a session as a document. Creates a document for a ticket or for the client. Every format includes supporting data; the PDF uses the branding of the team. The first export of a completed session sets its `exported_at`. Texts that take too much work to mask or to write are left out, with a mark in their place. If masking fails, nothing is exported: 500 `masking_failed`. */
export: Method<'sessions.exports.export'>
}
}
diagrams: {
deviceTypes: {
/** List diagram device types. Lists the types that I can see and the types that ship with the service, sorted by category and name. */
list: PagedMethod<'diagrams.deviceTypes.list'>
/** Create a device type for my team. A name that the team already uses returns 409 `name_taken`. */
create: Method<'diagrams.deviceTypes.create'>
/** Update a device type of my team. Diagrams that use the type show the change at once. */
update: Method<'diagrams.deviceTypes.update'>
/** Delete a device type of my team. Nodes of the type stay in their diagrams. */
delete: Method<'diagrams.deviceTypes.delete'>
}
drafts: {
/** Draft a diagram from a description. Returns a proposal and stores nothing; save the proposal with a POST or PUT. A merge keeps every node and edge of the diagram in place and adds the new nodes below, without overlaps. A diagram that already has the maximum number of nodes returns 409 `limit_reached`. */
generate: BackgroundMethod<'diagrams.drafts.generate'>
}
/** List network diagrams. Lists the diagrams that I can see, last saved first. */
list: PagedMethod<'diagrams.list'>
/** Create a network diagram for my team. Returns 422 for a user without a team. */
create: Method<'diagrams.create'>
/** List the clients that have diagrams. Sorted by name. */
listClients: PagedMethod<'diagrams.listClients'>
/** Import a network diagram. Imports an exported JSON file, a page of a draw.io file, plain or compressed, or a mermaid flowchart. Groups of a draw.io file and subgraphs become nodes, and what is in them has them as `parent_id`. A flowchart gets positions. A draw.io file that this service exported gives the same nodes and edges, with what was changed in draw.io. Skipped parts are listed. */
import: Method<'diagrams.import'>
/** Get a network diagram. The nodes, the edges and the newest version’s number. */
get: Method<'diagrams.get'>
/** Update a network diagram. Changes the given fields. A change of nodes or edges adds a version. */
update: Method<'diagrams.update'>
/** Archive or restore a network diagram. An archived diagram is left out of lists. It can be restored. */
archive: Method<'diagrams.archive'>
/** Duplicate a network diagram for my team. The copy begins with a version of its own and belongs to my team. */
duplicate: Method<'diagrams.duplicate'>
/** Export a network diagram. Returns a JSON file or a draw.io file, which can be imported, an SVG or PNG image, or a mermaid flowchart. What takes too much work is left out, with a mark. */
export: Method<'diagrams.export'>
versions: {
/** List the versions of a network diagram. Newest first. The newest 100 earlier versions are kept. */
list: PagedMethod<'diagrams.versions.list'>
/** Get a version of a network diagram. As it was saved then, with who saved it and when. */
get: Method<'diagrams.versions.get'>
/** Compare two versions of a network diagram. What was added, removed and changed, place by place. */
compare: Method<'diagrams.versions.compare'>
/** Restore an old version. Saves the content of the old version as the newest version. */
restore: Method<'diagrams.versions.restore'>
}
}
scripts: {
/** List script templates. Lists the templates that I can see, sorted by name. */
list: PagedMethod<'scripts.list'>
/** Create a script template for my team. A placeholder in a quoted string, a comment, a here-document or a command name returns 422 with the line number, because no quoting is safe there. */
create: Method<'scripts.create'>
/** List script categories. Sorted by name. `count` counts the scripts that I can see. */
listCategories: PagedMethod<'scripts.listCategories'>
/** Create a script category. Names are unique in the account, ignoring case: a duplicate returns 409 `name_taken`. */
createCategory: Method<'scripts.createCategory'>
/** Get a script template. The script with its parameters, its risk and the warnings about its text. */
get: Method<'scripts.get'>
/** Update a script template. A placeholder in a quoted string, a comment, a here-document or a command name returns 422 with the line number, because no quoting is safe there. */
update: Method<'scripts.update'>
/** Delete a script template. Flows that name the script stay as they are, and say that it is gone. */
delete: Method<'scripts.delete'>
/** Render a script template. Every value becomes a complete literal of the language, so it cannot end its string or start a command. Missing, invalid and unknown values return 422, with one error per value. A script of medium or high risk returns 409 `approval_required` until exactly this script is approved in its session. */
render: Method<'scripts.render'>
/** Share or unshare a script template. The whole account can see a shared template. Only its creator, its team and account admins can see an unshared one. */
share: Method<'scripts.share'>
versions: {
/** List the versions of a script template. Newest first. The newest 100 earlier versions are kept. */
list: PagedMethod<'scripts.versions.list'>
/** Get a version of a script template. As it was saved then, with who saved it and when. */
get: Method<'scripts.versions.get'>
/** Compare two versions of a script template. What was added, removed and changed, place by place. */
compare: Method<'scripts.versions.compare'>
/** Restore an old version. Saves the content of the old version as the newest version. */
restore: Method<'scripts.versions.restore'>
}
approvals: {
/** Request approval of a rendered script. For a template of medium risk (any engineer may approve) or high risk (admins). The approval covers exactly this script: another value, a new version of the template or the next step of the session needs another one. Approvers see the script without passwords and secret answers. Returns 409 `wrong_state` for a template of low risk, and otherwise the same errors as a request for a step. */
request: Method<'scripts.approvals.request'>
}
builder: {
/** Start a script-builder session. A user can have 5 standalone sessions. Creating a sixth returns 409 `session_limit_reached`; delete one first. Each of my AI sessions has at most one script-builder session; a repeated request returns it with 200. */
create: Method<'scripts.builder.create'>
/** List my script-builder sessions. Newest first. With `owner_left`, those of members who have left, for their admins. */
list: PagedMethod<'scripts.builder.list'>
/** Get one of my script-builder sessions. Includes all its messages. When its user has left, account admins and admins of the team read, continue and delete it. */
get: Method<'scripts.builder.get'>
/** Send a message to the script builder. The message says what the script must do or what to change. The model receives the last 20 messages and the current script. The message is stored even when the model fails. */
sendMessage: BackgroundMethod<'scripts.builder.sendMessage'>
/** Save the script to the library. Saves the script in the body; by default, the current script of the session. */
saveToLibrary: Method<'scripts.builder.saveToLibrary'>
/** Delete a script-builder session. Scripts that were saved to the library stay. */
delete: Method<'scripts.builder.delete'>
}
drafts: {
/** List draft templates. Lists scripts that were proposed as templates, newest first. */
list: PagedMethod<'scripts.drafts.list'>
/** Get a draft template. The draft with its text, before someone accepted or rejected it. */
get: Method<'scripts.drafts.get'>
/** Accept a draft template. Creates a script template from the draft. Fields of the body replace those of the draft. A draft that was already accepted or rejected returns 409 `already_decided`, an unknown category 400 `unknown_category`. */
accept: Method<'scripts.drafts.accept'>
/** Reject a draft template. A draft that was already accepted or rejected returns 409 `already_decided`. */
reject: Method<'scripts.drafts.reject'>
}
}
authoring: {
kbBatches: {
/** Import many articles. Starts a job that imports the files of a ZIP archive, sent as a form with one `file`, or, sent as JSON, a page by its address or the published articles of Hudu or IT Glue, at most 500. An article of a vendor takes its title from its name there; pictures and attachments are left out. Each article has a result of its own: an import, or the reason why it was refused. An archive has at most 16 MiB and 200 files, each at most 5 MiB and all at most 100 MiB after decompression. Archives inside the archive are not opened. One batch runs at a time. */
create: Method<'authoring.kbBatches.create'>
/** List batches of articles. Lists the batches of my team and my own of the last 90 days, newest first. Account admins see all. */
list: PagedMethod<'authoring.kbBatches.list'>
/** Get a batch with its progress. How many articles are read, imported and refused, with the reason of each refusal. */
get: Method<'authoring.kbBatches.get'>
/** Cancel a batch of articles. The articles that are imported stay. A canceled batch may be canceled again; one that has ended otherwise is a 409. */
cancel: Method<'authoring.kbBatches.cancel'>
}
kbImports: {
/** Get the knowledge import quota. Returns how many articles my account has imported, and how many its plan allows in total. */
getQuota: Method<'authoring.kbImports.getQuota'>
/** Import an article. Accepts markdown, text, HTML, docx or PDF, as a form with one `file` or as JSON. The extension of a file name determines the format, or else the media type. An article has at most 5 MiB and 900,000 characters of text, a PDF at most 300 pages. A PDF without texts, such as a scan, is a 422. Returns 403 `kb_quota_exceeded` when the plan’s lifetime limit is reached. A rejected article is not counted. */
create: Method<'authoring.kbImports.create'>
/** List knowledge imports. Lists the imports of my team and my own, newest first. Account admins see all. */
list: PagedMethod<'authoring.kbImports.list'>
/** Get a knowledge import. The article as it was read, and its conversion when it has one. */
get: Method<'authoring.kbImports.get'>
/** Convert an article to nodes. Creates at most 100 nodes. They contain the whole text of the article, in order and word for word: the model only groups the pieces and names the groups. Existing nodes are replaced. Returns 409 `already_committed` with `tree_id` for a committed import. */
convert: BackgroundMethod<'authoring.kbImports.convert'>
/** Update or move a node. A node moves together with its descendants, and the positions of the other nodes are renumbered. Returns 409 `already_committed` with `tree_id` for a committed import. */
updateNode: Method<'authoring.kbImports.updateNode'>
/** Publish the nodes as a flow. Returns 422 with every problem that prevents publishing, 409 `already_committed` with `tree_id` for a committed import, and 409 `not_converted` before the conversion. */
commit: Method<'authoring.kbImports.commit'>
/** Delete a knowledge import. The flow that was created from the import stays. The import still counts towards the quota. */
delete: Method<'authoring.kbImports.delete'>
}
flowBuilder: {
/** Start a flow-builder conversation. Returns a first draft, or a question in `messages` when the goal is too vague. The first draft of a conversation counts as one AI build of the month. Returns 429 `ai_quota_exceeded` with `resets_at` when the quota is used up. The conversation expires after 24 hours. */
start: BackgroundMethod<'authoring.flowBuilder.start'>
/** List my flow-builder conversations. Those that have not expired, newest first. With `owner_left`, those of members who have left, for their admins. */
list: PagedMethod<'authoring.flowBuilder.list'>
/** Get a flow-builder conversation. When its user has left, account admins and admins of the team read, continue, save and delete it. */
get: Method<'authoring.flowBuilder.get'>
/** Refine the draft. The message says what to change. A refinement does not count as a build. Of two concurrent messages one is answered; the other gets 409 `stale_version`. Returns 409 `limit_reached` after 100 turns. */
sendMessage: BackgroundMethod<'authoring.flowBuilder.sendMessage'>
/** Save the draft as a flow. Creates a flow with status `draft` that belongs to me, and deletes the conversation. Returns 409 `no_draft` for a conversation without a draft. */
commit: Method<'authoring.flowBuilder.commit'>
/** Delete a flow-builder conversation. The conversation and its draft go. Flows that were saved from it stay. */
delete: Method<'authoring.flowBuilder.delete'>
}
assistant: {
/** Get the AI build quota. Returns the number of AI builds of flows in this month, and the limit. A flow-builder conversation counts once, with its first draft. Refinements, the assistant and conversions do not count. */
getQuota: Method<'authoring.assistant.getQuota'>
/** Suggest an edit of a flow. Returns one edit as a JSON patch. The patch is applied to a copy: `result` is the edited flow, which can be saved as a draft. Nothing is stored. Returns 400 `flow_invalid` for a flow that could not be saved as a draft. */
suggest: BackgroundMethod<'authoring.assistant.suggest'>
}
proposals: {
/** Convert a session to a flow proposal. Proposes a new flow or an update of one, from my completed session or my resolved AI session. Notifies the admins of the team. Returns 409 `wrong_state` for a session in another state, and 409 `already_pending` for a session with a pending proposal. Returns 400 for a target that ships with the service or has another type. */
create: BackgroundMethod<'authoring.proposals.create'>
/** List flow proposals. Pending proposals by default, newest first. Lists those of my team and my own; account admins see all. */
list: PagedMethod<'authoring.proposals.list'>
/** Get a flow proposal. The proposed flow, and the cases that it was made from. */
get: Method<'authoring.proposals.get'>
/** Approve a flow proposal. Creates the flow for the submitter, or updates the target, and notifies the submitter. Returns 409 `already_decided` for a decided proposal, 409 `stale_version` if the target was saved since the proposal, and 409 `target_gone` if the target no longer exists. */
approve: Method<'authoring.proposals.approve'>
/** Reject a flow proposal. Notifies the submitter with the reason. Returns 409 `already_decided` for a decided proposal. */
reject: Method<'authoring.proposals.reject'>
}
}
psa: {
tickets: {
/** List ticket boards. The list is at most an hour old. Returns 409 `psa_not_connected` without an active connection. Returns 502 with `psa_auth_failed`, `psa_rate_limited`, `psa_unavailable` or `psa_error` when the ticketing system fails. */
listBoards: Method<'psa.tickets.listBoards'>
/** Search open tickets. The most recently changed first. A ticket must match all filters. Returns 409 `psa_not_connected` without an active connection, and 502 when the ticketing system fails. */
search: Method<'psa.tickets.search'>
/** List the statuses of a board. The list is at most an hour old. Returns 409 `psa_not_connected` without an active connection. */
listStatuses: Method<'psa.tickets.listStatuses'>
/** Search clients. Returns at most 25 clients of the ticketing system, for a new ticket. */
searchCompanies: Method<'psa.tickets.searchCompanies'>
/** Change or assign a ticket. Changes the status, the board or the assigned member at the ticketing system, and returns the ticket. A repeated request changes nothing. Returns 404 for an unknown ticket, and 502 when the ticketing system fails. */
update: Method<'psa.tickets.update'>
/** Get a ticket with its context. Includes the client, contact, devices, notes and related tickets, at most five minutes old. A part that cannot be read is empty and listed in `unavailable`. Returns 404 for an unknown ticket, 409 `psa_not_connected` without an active connection, and 502 when the ticketing system fails. */
getContext: Method<'psa.tickets.getContext'>
}
connection: {
/** Get the PSA connection. Returns the connection to the ticketing system, without its secrets. Returns 409 `psa_not_connected` without a connection. */
get: Method<'psa.connection.get'>
/** Create or update the PSA connection. Does not check the credentials: test the connection afterwards. Fields left out stay as they are. A new connection needs all fields of its provider except `tenant`, `auth_url` and the outcomes of notes. A new provider, or a `base_url` or `auth_url` on another origin, requires the secrets again. A change of the provider, the address or an id deletes the member mappings and `resolved_statuses`. The ticketing system is called only for `resolved_statuses`: a status that it does not have is 422. */
put: Method<'psa.connection.put'>
/** Delete the PSA connection. Deletes its secrets and the member mappings too. Notes that are not pushed yet fail. Returns 409 `psa_not_connected` without a connection. */
delete: Method<'psa.connection.delete'>
/** Test the PSA connection. Checks the credentials at the ticketing system, and lists its boards with their statuses. If it rejects them or is unreachable, the response is a 200 with `success` false. Returns 409 `psa_not_connected` without a connection. */
test: Method<'psa.connection.test'>
}
members: {
/** List ticketing member mappings. Lists the active users of the account by name, each with the mapped member of the ticketing system. `suggested_member_id` is null without a connection or while the ticketing system fails. */
listMappings: Method<'psa.members.listMappings'>
/** Map a user to a ticketing member. `null` removes the mapping. Returns 422 for an unknown member. Creating a mapping needs an active connection (409 `psa_not_connected`); removing a mapping does not. */
putMapping: Method<'psa.members.putMapping'>
/** List ticketing members. Lists active members only. Returns 409 `psa_not_connected` without an active connection. Returns 502 with `psa_auth_failed`, `psa_rate_limited`, `psa_unavailable` or `psa_error` when the ticketing system fails. */
list: Method<'psa.members.list'>
}
pushes: {
/** List ticket pushes. Lists notes, time entries and new tickets with the state of their push, newest first. */
list: PagedMethod<'psa.pushes.list'>
/** Retry a failed ticket push. It is stored at most once, no matter how often it is retried. Returns 409 `not_failed` for one that has not failed. */
retry: Method<'psa.pushes.retry'>
/** Add a note to a ticket. Queues the note, which is retried for 15 minutes. The same note within a minute returns the first push. It is masked if the account masks its exports. With `notify` the ticketing system also mails it; a push that can mail nobody fails, and adds no note. */
createNote: Method<'psa.pushes.createNote'>
/** Add the time of a session to its ticket. Queues a time entry for the member of the session’s user, rounded up by the rule of the connection. A session has one time entry: a repeated request returns it, unless it has failed. Allowed for the session’s user and account admins. */
createTimeEntry: Method<'psa.pushes.createTimeEntry'>
/** Create a ticket from a session. Queues a new ticket with the result of the session so far. Its number becomes the ticket number of the session. A repeated request returns the first push, unless it has failed. Allowed for the session’s user and account admins. */
createTicket: Method<'psa.pushes.createTicket'>
/** Push a session to its ticket. Queues a note with the result of the session, which is retried for 15 minutes. With `notify` the ticketing system also mails it to the contact of the ticket, once; `client_mail` says to whom and when. A push that can mail nobody fails, and adds no note. Allowed for the session’s user and account admins. Returns 409 `no_ticket` if the session’s ticket number is not an id of the ticketing system, and 409 `psa_not_connected` without an active connection. */
createForSession: Method<'psa.pushes.createForSession'>
/** Preview a push of a session. Returns the note that a push would add now, and whom the ticketing system would mail with `notify`. Allowed for the session’s user and account admins. Returns 502 when the ticketing system fails. */
previewForSession: Method<'psa.pushes.previewForSession'>
}
rules: {
/** List ticket rules. In the order in which they are checked, at most 100. */
list: Method<'psa.rules.list'>
/** Create a ticket rule. When a callback names a ticket, the first enabled rule that matches it prepares a session of its flow, once per ticket and rule. */
create: Method<'psa.rules.create'>
/** Change a ticket rule. Fields left out stay as they are. */
update: Method<'psa.rules.update'>
/** Delete a ticket rule. Sessions that it has prepared stay. */
delete: Method<'psa.rules.delete'>
}
callbacks: {
/** Get the state of the callbacks. Does not return the address, because it is a secret. */
get: Method<'psa.callbacks.get'>
/** Create an address for callbacks. Replaces the earlier address, which stops working. Enter the address in the ticketing system. Returns 409 `psa_not_connected` without an active connection. */
enable: Method<'psa.callbacks.enable'>
/** Remove the address for callbacks. A repeated request changes nothing. */
disable: Method<'psa.callbacks.disable'>
}
}
runner: {
connection: {
/** Get the runner connection. Returns the connection to the tool that runs scripts, without its key. */
get: Method<'runner.connection.get'>
/** Create or replace the runner connection. Does not check the key: test the connection afterwards. Without `api_key` the stored key stays; a new connection, and a `base_url` on another origin, need one. */
put: Method<'runner.connection.put'>
/** Delete the runner connection. Deletes its key too. Runs of scripts can still be recorded by hand. */
delete: Method<'runner.connection.delete'>
/** Test the runner connection. Checks the key at the runner. If it refuses the key or is unreachable, the response is a 200 with `success` false. */
test: Method<'runner.connection.test'>
}
agents: {
/** List machines at the runner. Asks the runner. A client that it does not have has no machines. */
list: Method<'runner.agents.list'>
}
runs: {
/** Run a script on a machine. Queues a script template for the runner, which runs it once. A script of medium or high risk returns 409 `approval_required` until exactly this script is approved in the session; the approval must still hold when the job starts it. The stream sends `script_run_finished`, and the output is a script run of the session. Only the user of the session and account admins may start it. */
startInSession: Method<'runner.runs.startInSession'>
/** List runs at the runner of a session. Also those that wait, run or have failed, oldest first. */
listOfSession: PagedMethod<'runner.runs.listOfSession'>
/** Run a script in an AI session. As in a session of a flow. An AI session has no approvals, so a script of medium or high risk returns 409 `approval_required`. The text of a fix cannot be run: make it a template. */
startInAiSession: Method<'runner.runs.startInAiSession'>
/** List runs at the runner of an AI session. Also those that wait, run or have failed, oldest first. */
listOfAiSession: PagedMethod<'runner.runs.listOfAiSession'>
/** Cancel a run that has not started. Allowed for who started it and account admins. A run that the runner was asked to start returns 409 `wrong_state`. */
cancel: Method<'runner.runs.cancel'>
}
}
billing: {
/** Create a billing portal session. Returns the address of the provider's page for managing payment. Available to a lapsed account too, so that it can pay again. */
createPortalSession: Method<'billing.createPortalSession'>
/** Create a checkout session for a plan. Returns the address of the provider's page for paying. The account gets the plan when the provider reports the payment, usually within seconds. An account with a paid subscription gets 409 `already_subscribed`: it changes or ends its plan in the portal (`GET /billing/portal-session`). Available during a trial, and to a lapsed account. */
createCheckoutSession: Method<'billing.createCheckoutSession'>
/** Get my subscription and its usage. The plan, the period, and how much of each limit is used. */
getSubscription: Method<'billing.getSubscription'>
}
uploads: {
/** Upload an image. For chat messages and logos. Accepts PNG, JPEG, WebP and GIF, detected by content, with at most 50 million pixels and 12,000 per side. The image is stored as a JPEG of quality 85 with at most 1568 pixels per side. It is upright, on a white background and without metadata. Only the first frame of an animation is stored. */
create: Method<'uploads.create'>
/** Download an image. The bytes of the image, with the type that was found in them. */
get: Method<'uploads.get'>
}
ai: {
escalations: {
/** List waiting escalations. The most urgent first, then the oldest. Lists the escalations of my team, those without a team, those that target me and those I claimed. Account admins and users without a team see all escalations of the account. My own escalations and those already picked up are left out. */
listQueue: PagedMethod<'ai.escalations.listQueue'>
/** Stream escalation events. Server-sent events, each with an `id`, and a heartbeat comment every 25 seconds. After a reconnect with `Last-Event-ID`, the missed events among the last 256 come first. `overflow` reports how many events the client missed: it read too slowly or they are no longer stored. Fetch the queue again after it. A client that loses its stream reconnects after `retry` milliseconds, 2 to 5 s. A user may have 5 open streams. A sixth closes the oldest, which first receives `replaced` with a `retry` of 5 minutes; its client should close the EventSource. The stream ends at the next heartbeat after the user signs out, is deactivated or becomes a viewer. It stays open when the access token expires. An `EventSource` needs a `ticket`, see `POST /auth/stream-ticket`. On Cloudflare, `Upgrade: websocket` opens a WebSocket with the same events as JSON messages `{id, event, data}`; elsewhere it returns 426 `websocket_unavailable`. A browser sends its token as a protocol: `new WebSocket(url, ["support-flow", "bearer.<token>"])`. The first message is `connected`; reconnect with the last `id` as `last_event_id`. Send `ping` every 25 seconds and nothing else. Close codes: 4401 the sign-in has ended, 4409 replaced by a newer connection, 4408 64 events without a ping, 1008 another message than `ping`, 1013 the sign-in could not be checked. After 4401 and 4409 do not reconnect; otherwise wait 2 to 5 s. */
stream: FollowMethod<'ai.escalations.stream'>
/** Claim an escalation. Idempotent for the current claimant. If several colleagues claim at once, one wins. The others get 409 `already_claimed` with `winner` and `claimed_at`. The engineer who escalated gets 403. After the claim, the claimant may read the session. */
claim: Method<'ai.escalations.claim'>
/** Pick up an escalated session. Claims the open handoff of the session if it is unclaimed, makes the session active and assigns it to me. Returns 409 `already_claimed` if a colleague has claimed the handoff. A repeated request changes nothing. */
pickUp: Method<'ai.escalations.pickUp'>
}
handover: {
/** Get the handover of a shift. Open cases with what changed, what clients were told and what waits for a time, and who is on call now and next. It has the escalations that the queue lists, my own open sessions, and the timers and notes of my team; account admins and users without a team see those of all teams. Only timers say until when: the times in notes are text. */
get: Method<'ai.handover.get'>
}
handoffs: {
/** Draft a handoff with the model. Server-sent events: each `delta` is the next part of the summary, `restart` means that the text streamed so far is void, and `draft` ends the stream. Nothing is stored. A failure after the first event is an `error` event with its `status`. */
draft: EventMethod<'ai.handoffs.draft'>
/** Park or escalate a session. Allowed for the engineer who works on the session, while it is active or parked. Parking sends no notifications. Intent `escalate` does the same as the `escalate` operation. */
create: Method<'ai.handoffs.create'>
/** Escalate a session. Stores the handoff with its documentation. Notifies team admins and the target in the app, by e-mail and through the account’s channels, and sends an event to the account’s open streams. Pushes the documentation to the linked ticket and asks the model for an assessment. The response waits for none of these. */
escalate: Method<'ai.handoffs.escalate'>
/** List the handoffs of a session. Newest first. */
list: PagedMethod<'ai.handoffs.list'>
/** Resume a parked session. The session goes on where it was parked, with its messages and items. */
resume: Method<'ai.handoffs.resume'>
}
turns: {
/** Create an AI session. Creates a guided session or a chat from a problem, a PSA ticket, or neither. The ticket provides the summary and company that the body leaves out. If the PSA cannot be reached, only the ticket id is stored. A guided session includes its first step. If the model gives no usable answer, the first step has a `failure` and cites sources that may fit. If no provider answers, the session is created anyway: the 502 has its `session_id`, and `respond` continues it. */
createSession: Method<'ai.turns.createSession'>
/** Send a message to the model. If no published flow fits the case, the reply has a `flow_offer`. If the model gives no usable answer, the reply has a `failure` and cites sources that may fit. If no provider answers, the 502 leaves the message stored; sending it again asks again. With `Accept: text/event-stream` the reply arrives as `delta` events `{text}` and ends with one `message` event that contains the JSON response. `restart` means that the text streamed so far is void. A failure after the first event is an `error` event with its `status`. A replay by `Idempotency-Key` is the `message` event alone. */
sendMessage: StreamableMethod<'ai.turns.sendMessage'>
/** List the messages of an AI session. The messages of one branch, oldest first. */
listMessages: PagedMethod<'ai.turns.listMessages'>
/** Respond to the current guided step. Returns the next step, with a `flow_offer` if no published flow fits the case. If the model gives no usable answer, it has a `failure` and cites sources that may fit, and its response asks again. If no provider answers, the 502 leaves the response stored; a request without a response then returns the next step. */
respondToStep: BackgroundMethod<'ai.turns.respondToStep'>
}
sessions: {
/** List my AI sessions. My own sessions, those escalated to me and those I picked up; with `owner_left`, those of members who have left, for their admins. Newest first. */
list: PagedMethod<'ai.sessions.list'>
/** Get an AI session. Includes its steps, messages, fixes, facts and handoffs. Visible to its user, to the colleague it is escalated to, and to the one who claimed or picked it up. While it waits for a colleague, the whole account may read it. When its user has left, account admins and admins of its team may read it, hand it over and close it. */
get: Method<'ai.sessions.get'>
/** Delete an AI session. Deletes everything that belongs to it. */
delete: Method<'ai.sessions.delete'>
/** Resolve an AI session. Closes the session with an outcome and writes its documentation, which goes to the linked ticket as an internal note. The ticket’s resolution gets what the client may read: the problem, the outcome and the fixes that helped. With it the ticket gets the status that the connection has for resolved cases on its board. `GET /integrations/psa/pushes?source_id=…` shows a refusal of the ticketing system. Returns 409 `wrong_state` for a closed session, and 409 `unsettled_items` with `fixes`, `questions` and `actions` that nobody has decided on: give their `outcomes`, or set `accept_proposals`. */
resolve: Method<'ai.sessions.resolve'>
/** Abandon an AI session. Closes the session without an outcome. A closed session is not changed. */
abandon: Method<'ai.sessions.abandon'>
}
triage: {
/** Update the triage header. The model fills only null fields and only adds evidence, so it never overwrites these values. Returns 409 `wrong_state` for a closed session. */
update: Method<'ai.triage.update'>
/** Replace the task lane. The task lane holds questions, actions and responses. Returns 422 and changes nothing if a limit is exceeded. Returns 409 `wrong_state` for a closed session. */
putTaskLane: Method<'ai.triage.putTaskLane'>
/** List the branches of an AI session. The main branch first. */
listBranches: PagedMethod<'ai.triage.listBranches'>
/** Create a branch and activate it. The branch starts with the messages of the active branch up to `from_message_id`. Returns 409 `limit_reached` if the session has 100 branches, and 409 `wrong_state` for a closed session. */
createBranch: Method<'ai.triage.createBranch'>
/** Activate a branch. The session works on this branch from now on; the other branches stay readable. */
activateBranch: Method<'ai.triage.activateBranch'>
/** List the facts of an AI session. Also returns the `state_version` of the session. */
listFacts: Method<'ai.triage.listFacts'>
/** Create or update a fact. A change adds 1 to `state_version`. Sending the current value of a fact with source `user` changes nothing. Returns 409 `limit_reached` for a new fact if the session has 200 facts, and 409 `wrong_state` for a closed session. */
putFact: Method<'ai.triage.putFact'>
}
fixes: {
/** List suggested fixes. In the order in which they were suggested. */
list: PagedMethod<'ai.fixes.list'>
/** Mark a fix as being applied. The status stays `proposed` until an outcome is recorded. A repeated request changes nothing. Returns 409 `already_decided` once an outcome is recorded. */
apply: Method<'ai.fixes.apply'>
/** Reject the outcome the model proposes. The fix keeps its status. A fix without a proposal is not changed. */
clearProposal: Method<'ai.fixes.clearProposal'>
/** Record the outcome of a fix. `applied_success`, `applied_failed` and `dismissed` are final: a later request gets 409 `already_decided` with the `status`. `applied_partial` and `applied_pending` can be changed. Clears the outcome that the model proposes. Allowed in every state of the session, because an outcome is often known only after the case is closed. */
recordOutcome: Method<'ai.fixes.recordOutcome'>
/** Update the script of a fix. Does not apply the fix. Returns 422 with the line numbers for parameter placeholders in places where a value is not safe. */
updateScript: Method<'ai.fixes.updateScript'>
/** Decide how to use a fix’s script. The fix keeps its status. Proposing the same script again returns the pending draft; a different script creates another draft. Returns 400 `no_script` for a fix with neither a template nor a script, and 409 `approval_required` with `risk` and `risk_reasons` for a template, or a script used once, of medium or high risk. For another decision on such a script, `script` is the template without values. */
decideScript: Method<'ai.fixes.decideScript'>
}
feedback: {
/** List feedback on the model. What technicians think of the answers in a session, newest first. */
list: PagedMethod<'ai.feedback.list'>
/** Give feedback on an answer. Whether a reply, a step, a fix or an assessment helped, and what would have been right. A second one of the same person replaces the first. It is stored with the prompt, its version and the model, for whoever evaluates prompts; the client never sees it. */
set: Method<'ai.feedback.set'>
}
mcpServers: {
/** List connected MCP servers. The MCP servers of my account by name, with their tools as they were last described, without their tokens. */
list: Method<'ai.mcpServers.list'>
/** Connect an MCP server. Connects a server by its streamable HTTP address, at most 5 per account. It is not asked yet, and none of its tools is allowed: refresh it, then allow tools one by one. */
create: Method<'ai.mcpServers.create'>
/** Ask an MCP server for its tools. If it does not answer, the response is a 200 with `last_check_error`, and its tools stay as they were. */
refresh: Method<'ai.mcpServers.refresh'>
/** Allow tools of an MCP server. Replaces the tools that the model may call in a session, at most 5, each in the version that was looked at. Only a tool that says that it only reads can be allowed. A tool that changes is not called until it is allowed again. */
allow: Method<'ai.mcpServers.allow'>
/** Disconnect an MCP server. Deletes its token too. What the model has looked up with its tools stays in the sessions. */
delete: Method<'ai.mcpServers.delete'>
}
scriptRuns: {
/** List script runs of an AI session. What scripts did on machines, oldest first. */
list: PagedMethod<'ai.scriptRuns.list'>
/** Record a script run in an AI session. Records what a script did on a machine. The model reads the last 10 runs with the end of their output; documentation, notes of the ticket and escalations show the last 20. Returns 409 `limit_reached` if the session has 40, and 409 `wrong_state` for a closed session. */
create: Method<'ai.scriptRuns.create'>
}
outputs: {
/** Write a status update with the model. The update is written for colleagues or for the client. Nothing is stored. */
createStatusUpdate: BackgroundMethod<'ai.outputs.createStatusUpdate'>
/** List the outputs of an AI session. Oldest first. */
list: PagedMethod<'ai.outputs.list'>
/** Write an output with the model. Such as a ticket note, a summary for the client or an article, written from what the session knows. */
create: BackgroundMethod<'ai.outputs.create'>
/** Edit an output. Returns 409 `already_pushed` while a push of the output is queued, and after it succeeded. */
update: Method<'ai.outputs.update'>
/** Push an output to the linked ticket. Queues a note, which is retried for 15 minutes. The note of a `client_email` is visible to the client; all other notes are internal. With `notify` the ticketing system also mails it to the contact of the ticket; a push that can mail nobody fails, and adds no note. A repeated request adds no second note and sends no second e-mail; after a failure it retries the push. Returns 409 `already_pushed` for `notify` after a push without it, 409 `no_ticket` without a linked ticket, and 409 `psa_not_connected` without an active connection. */
push: Method<'ai.outputs.push'>
/** Preview a push of an output. Returns the note that a push would add now, and whom the ticketing system would mail with `notify`. Allowed for the engineer who works on the session. Returns 502 when the ticketing system fails. */
previewPush: Method<'ai.outputs.previewPush'>
/** Retry pushing a session’s documentation. Allowed for the engineer who works on the session. Retries a failed note, or queues the documentation of a resolved session that has no note yet. Returns 409 `not_failed` in all other cases, 409 `no_ticket` without a linked ticket, and 409 `psa_not_connected` without an active connection. */
retryPush: Method<'ai.outputs.retryPush'>
}
tasks: {
/** List my AI tasks. My stored requests to the model of the last 24 hours, newest first. A request is stored if it is sent with `Prefer: respond-async`, if its connection ends before the answer, or if it takes longer than two seconds. */
list: PagedMethod<'ai.tasks.list'>
/** Get an AI task with its answer. When a job has finished the task, the escalation stream sends the event `ai_task_finished`, and `job_progressed` at each call to the model. A task that its first request answers sends `job_progressed` alone. */
get: Method<'ai.tasks.get'>
}
usage: {
/** Get the AI usage of this month. Totals of the calls to the model by day, prompt and person, and the budget of the account. Account admins and team admins see every person, others themselves. When the budget is used up, operations that ask the model answer 429 `ai_budget_exhausted` until `resets_at`. */
get: Method<'ai.usage.get'>
}
}
presence: {
/** List presence. Lists who views or edits the flows, sessions and AI sessions that I see, including me. Those who edit come first. */
list: PagedMethod<'presence.list'>
/** Set my presence. Lasts 60 seconds: repeat the request every 30 seconds while the page is visible. Returns the colleagues who are there. Colleagues who see the resource receive a `presence` event of the escalation stream when I arrive, change the mode or leave, and none for a repetition. A person may have 20 presences, and a resource 100 tabs (409 `limit_reached`). */
put: Method<'presence.put'>
/** End my presence. Colleagues see it at once. Succeeds if I am not there. */
delete: Method<'presence.delete'>
}
maintenance: {
targetLists: {
/** List target lists. Lists the target lists that I can see, sorted by name. */
list: PagedMethod<'maintenance.targetLists.list'>
/** Create a target list for my team. The machines that a maintenance flow is run for, one session each. */
create: Method<'maintenance.targetLists.create'>
/** Get a target list. The list with all its targets. */
get: Method<'maintenance.targetLists.get'>
/** Update a target list. Changes the given fields. Runs that have started keep the targets that they had. */
update: Method<'maintenance.targetLists.update'>
/** Delete a target list. A list that maintenance schedules use returns 409 `in_use` with the first 20 of them in `schedules`. */
delete: Method<'maintenance.targetLists.delete'>
}
schedules: {
/** List maintenance schedules. Lists the schedules that I can see, sorted by name, each with its next and its last run. */
list: PagedMethod<'maintenance.schedules.list'>
/** Create a maintenance schedule. Runs a maintenance flow on a target list regularly. A draft returns 400 `not_published`, another type of flow 400 `wrong_flow_type`, a flow of another team or of the platform 400 `not_own_team`. Each run prepares one session per target, in batches of at most 100. */
create: Method<'maintenance.schedules.create'>
/** Get a maintenance schedule. Includes the next five due times. */
get: Method<'maintenance.schedules.get'>
/** Update, pause or resume a maintenance schedule. A run that is already due when the timing changes still takes place; pausing the schedule records it as missed. The flow cannot be changed. */
update: Method<'maintenance.schedules.update'>
/** Delete a maintenance schedule. Deletes its runs too. The sessions of the runs stay. */
delete: Method<'maintenance.schedules.delete'>
}
runs: {
/** Run a maintenance schedule now. Also runs a paused schedule. The sessions belong to the caller, who must be in the team of the flow. Returns the same errors as `POST /sessions/batch`, except that invalid targets return 400 `invalid_targets`. A failed request records no run. The due times of the schedule do not change. Within 10 seconds after a run, the same caller gets that run again with 200, and another one gets 409 `already_started` with `run_id`. */
create: Method<'maintenance.runs.create'>
/** List the runs of a maintenance schedule. One run per due time and per manual run, newest first. */
list: PagedMethod<'maintenance.runs.list'>
}
}
oncall: {
schedules: {
/** List who is on call now. One entry per schedule of the account, sorted by name. */
listOnCall: Method<'oncall.schedules.listOnCall'>
/** List the on-call duties of a member. The on-call schedules and escalation policies that name the member, sorted by name. Read it before and after you deactivate a member: they stay in them, but are not notified. */
listOfMember: Method<'oncall.schedules.listOfMember'>
/** List on-call schedules. Sorted by name. */
list: PagedMethod<'oncall.schedules.list'>
/** Create an on-call schedule. A team admin creates schedules of their team. An account has at most 50 schedules. */
create: Method<'oncall.schedules.create'>
/** Get an on-call schedule. The rotations of the schedule with their people, and its exceptions. */
get: Method<'oncall.schedules.get'>
/** Update an on-call schedule. Applies from now on: shifts that have been stay as they were. The answer says who was on call before the change and who is after it. For a new order from a later day on, add a rotation. */
update: Method<'oncall.schedules.update'>
/** Delete an on-call schedule. A schedule that escalation policies notify returns 409 `in_use` with these policies in `policies`. */
delete: Method<'oncall.schedules.delete'>
/** List the shifts of an on-call schedule. Rotations and overrides together. The first and the last shift are cut to `from` and `to`. Times without anybody on call are left out. The past is shown as it was, also before a change of the schedule or of a member, for 92 days. */
listShifts: Method<'oncall.schedules.listShifts'>
/** List the overrides of an on-call schedule. The last to end first. */
listOverrides: PagedMethod<'oncall.schedules.listOverrides'>
/** Put a user on call for a time. Every engineer may take over themselves; admins may name anyone. Of overrides at the same time, the newest applies. A schedule has at most 500; they are deleted 92 days after their end. */
createOverride: Method<'oncall.schedules.createOverride'>
/** Delete an override. Only its creator and admins may delete it. */
deleteOverride: Method<'oncall.schedules.deleteOverride'>
}
reminders: {
/** List the reminders of an escalation. The steps of the escalation policy that were taken, and the next one. Newest first. */
list: PagedMethod<'oncall.reminders.list'>
}
policies: {
/** List escalation policies. Sorted by name. */
list: PagedMethod<'oncall.policies.list'>
/** Create an escalation policy. Its steps begin when a session is escalated and end when a colleague claims, picks up or acknowledges the escalation, or its session ends. The engineer who escalated is not notified. A team has at most one default policy: otherwise 409 `conflict`. An account has at most 50 policies. */
create: Method<'oncall.policies.create'>
/** Get an escalation policy. The steps of the policy: whom it tells, and after how many minutes. */
get: Method<'oncall.policies.get'>
/** Update an escalation policy. Earlier escalations keep the steps that the policy had. */
update: Method<'oncall.policies.update'>
/** Delete an escalation policy. Earlier escalations keep the steps that the policy had. */
delete: Method<'oncall.policies.delete'>
}
acknowledgements: {
/** Show the page to acknowledge an escalation. Changes nothing. */
showPage: Method<'oncall.acknowledgements.showPage'>
/** Acknowledge an escalation with one click. The link of a reminder is valid for 24 hours. The escalation policy stops, and the engineer who escalated is notified. Only the first acknowledgement of an escalation counts; it is still unclaimed. Ignores the body. */
acknowledge: Method<'oncall.acknowledgements.acknowledge'>
}
}
search: {
/** Search everything in my account. Finds flows and their published steps, library steps, scripts, sessions, AI sessions, articles and diagrams that I may see, best first. A program finds only the types that its scopes let it read. All words must occur; the last one may be the start of a word, for a search as you type. Without a result, words that are spelled similarly count. Ticket numbers, host names, addresses and error codes are found whole and by their start. */
find: Method<'search.find'>
}
analytics: {
/** Get session metrics of my account. With `team_id`, counts the sessions of one team. An unknown team has none. */
getTeam: Method<'analytics.getTeam'>
/** Get my session metrics. My sessions of the period: how many, how long, and how they ended. */
getMine: Method<'analytics.getMine'>
/** List flow metrics. Lists the flows that sessions of my account started with in the period, most used first. */
listFlows: PagedMethod<'analytics.listFlows'>
/** Get metrics of a flow. Includes the metrics of each step. */
getFlow: Method<'analytics.getFlow'>
/** Get escalation response times. Measures the time between the claim of an escalation and the first action of the claimant. */
getEscalations: Method<'analytics.getEscalations'>
reports: {
/** Get the weekly report of a team. Returns the sessions resolved and escalated, the time to claim, the flows that help and those that do not, and the busiest hours. The week begins on Monday in the time zone of the team, or else of the account. `html` has charts with tables, `pdf` the branding of the team, and `csv` one number per line. */
getWeekly: Method<'analytics.reports.getWeekly'>
/** List my weekly report subscriptions. The reports that are mailed to me, each with its team or account. */
listSubscriptions: PagedMethod<'analytics.reports.listSubscriptions'>
/** Subscribe to a weekly report. Sends me the report of the week before by e-mail, each Monday at 8:00 in the time zone of the team. A repeated request changes nothing. */
subscribe: Method<'analytics.reports.subscribe'>
/** Unsubscribe from a weekly report. Succeeds if there is no subscription. Each e-mail has a link that does the same. */
unsubscribe: Method<'analytics.reports.unsubscribe'>
}
}
notifications: {
/** List notification configs. The configs of my account, newest first. */
listConfigs: PagedMethod<'notifications.listConfigs'>
/** Create a notification config. A chat tool requires `webhook_url`, and e-mail requires `email_addresses`. The webhook address is checked on save and before every message. */
createConfig: Method<'notifications.createConfig'>
/** Update a notification config. Changes the given fields of one channel. A secret that is left out stays. */
updateConfig: Method<'notifications.updateConfig'>
/** Delete a notification config. Deletes its delivery log too. */
deleteConfig: Method<'notifications.deleteConfig'>
/** Send a test message. Sends one test message through the channel of the config, and adds it to the delivery log. Returns 200 even when the channel refuses the message. */
testConfig: Method<'notifications.testConfig'>
/** List the deliveries of a config. Newest first. */
listDeliveries: PagedMethod<'notifications.listDeliveries'>
/** Retry a failed delivery. Queues one more attempt. Returns 409 `not_failed` for a delivery that has not failed. */
retryDelivery: Method<'notifications.retryDelivery'>
/** List event keys. All events that a config can enable, with their meaning. */
listEventKeys: Method<'notifications.listEventKeys'>
/** List my notifications. Unread ones first, and the newest first within each group. */
list: PagedMethod<'notifications.list'>
/** Count my unread notifications. The number that a badge shows; cheaper than a list. */
countUnread: Method<'notifications.countUnread'>
/** Mark a notification as read. A repeated request changes nothing. */
markRead: Method<'notifications.markRead'>
/** Mark all my notifications as read. Answers the number of unread ones, which is 0 unless one has arrived meanwhile. */
markAllRead: Method<'notifications.markAllRead'>
preferences: {
/** Get my e-mail preferences. Which events reach me by mail. */
get: Method<'notifications.preferences.get'>
/** Replace my e-mail preferences. E-mails in quiet hours, or before the next digest, are held and arrive as one e-mail. Escalations of urgency `high` and `critical`, reminders of an escalation policy, and e-mails without an event, such as those about the sign-in, are sent at once. Notifications in the app are never held. */
replace: Method<'notifications.preferences.replace'>
}
subscriptions: {
/** Show the page to unsubscribe. Changes nothing. */
showPage: Method<'notifications.subscriptions.showPage'>
/** Unsubscribe an address with one click. As in RFC 8058; ignores the body. From then on the address gets e-mails about its own sign-in only. The link of a weekly report only ends that subscription. */
unsubscribe: Method<'notifications.subscriptions.unsubscribe'>
/** Subscribe an address again. The link of a weekly report restores that subscription. */
resubscribe: Method<'notifications.subscriptions.resubscribe'>
}
}
webhooks: {
/** List webhooks. The webhooks of my account, newest first, without their secrets. */
list: PagedMethod<'webhooks.list'>
/** Create a webhook. Sends events to an address, at least once each, signed by the [Standard Webhooks](https://www.standardwebhooks.com) specification. The `webhooks` of this document describe the messages. Answer 2xx within 15 seconds and ignore a `webhook-id` that you have seen. Failed messages are repeated for 75 hours; 410 switches the webhook off. */
create: Method<'webhooks.create'>
/** Update a webhook. Fields left out stay as they are. A new address also gets the deliveries that are still open. */
update: Method<'webhooks.update'>
/** Delete a webhook. Deletes its delivery log and open deliveries too. */
delete: Method<'webhooks.delete'>
/** Send a test message. Sends one message of type `webhook.test`. Returns 200 even when the receiver refuses it. */
test: Method<'webhooks.test'>
/** Rotate the signing secret. Returns a new secret. For 24 hours each message also has a signature with the replaced one. */
rotateSecret: Method<'webhooks.rotateSecret'>
/** List the deliveries of a webhook. Newest first. The log has the newest 10,000 deliveries of the last 30 days. */
listDeliveries: PagedMethod<'webhooks.listDeliveries'>
/** Replay deliveries. Sends one delivery, or every failed one since a time, again with the same `webhook-id`. Returns 409 `wrong_state` if it is off. */
replay: Method<'webhooks.replay'>
}
feedback: {
/** Send feedback. Sends an e-mail to the platform, if it has a feedback address, and a receipt to the author. */
create: Method<'feedback.create'>
/** Send beta feedback. Stores what I think of the service for the people who build it. */
createBeta: Method<'feedback.createBeta'>
/** List beta feedback. Newest first. Account admins see the feedback of their account, super admins that of all accounts. */
listBeta: PagedMethod<'feedback.listBeta'>
}
admin: {
users: {
/** Search users of all accounts. Newest first. */
list: PagedMethod<'admin.users.list'>
/** Get a user of any account. Includes the account, the subscription, the last 50 sign-ins and the last 50 audit log entries. */
get: Method<'admin.users.get'>
/** Promote or demote a super admin. The last active super admin cannot be demoted or deactivated: 409 `last_super_admin`. */
setSuperAdmin: Method<'admin.users.setSuperAdmin'>
/** Remove a user's second factors. For a person who lost all factors. The person signs in with the password alone and can set up new ones. */
resetMfa: Method<'admin.users.resetMfa'>
/** Change the plan of a user's account. A running trial continues with the new plan. After an expired trial, and from `free`, the plan takes effect immediately (`active`). A change to `free` also clears an overdue payment. */
changePlan: Method<'admin.users.changePlan'>
/** Extend the trial of a user's account. Also restarts an expired trial. An account that left its trial, for a paid plan or for `free`, returns 409 `not_on_trial`. */
extendTrial: Method<'admin.users.extendTrial'>
/** Search all accounts. Newest first. */
listAccounts: PagedMethod<'admin.users.listAccounts'>
/** List audit logs of all accounts. Newest first. */
listAuditLogs: PagedMethod<'admin.users.listAuditLogs'>
}
operations: {
/** Get the state of the service. The page `/admin/operations` shows the same. */
get: Method<'admin.operations.get'>
/** Attempt waiting work now. A sweep attempts it within a minute. What has failed for good stays as it is. */
replay: Method<'admin.operations.replay'>
}
plans: {
/** List plans with limits and billing. Every plan with its limits, its features and its prices. */
listLimits: PagedMethod<'admin.plans.listLimits'>
/** Create or update a plan. Fields that are absent stay. The first billing field creates the billing record of the plan; without `display_name` the record is named after the plan. Accounts on the plan see the change on their next request. */
putLimits: Method<'admin.plans.putLimits'>
/** List feature flags. Includes the default of each plan and the newest 100 overrides of each flag. */
listFeatureFlags: Method<'admin.plans.listFeatureFlags'>
/** Switch a feature of a plan on or off. Holds for every account of the plan at once, unless the account has an override. */
putFeatureFlag: Method<'admin.plans.putFeatureFlag'>
/** Set or clear an account's feature override. An override switches the feature on or off for this account. Without one, the plan decides. */
putFeatureOverride: Method<'admin.plans.putFeatureOverride'>
/** Create a platform invite code. Who registers with the code gets its plan. The code is shown only here. */
createInviteCode: Method<'admin.plans.createInviteCode'>
/** List platform invite codes. Newest first, each with the number of its uses. */
listInviteCodes: PagedMethod<'admin.plans.listInviteCodes'>
/** List sales leads. Newest first. */
listSalesLeads: PagedMethod<'admin.plans.listSalesLeads'>
}
gallery: {
/** Update a flow's gallery entry. Features, sorts or hides a flow of any account. The gallery shows a published flow while its account has made it public and staff have not hidden it. */
putFlow: Method<'admin.gallery.putFlow'>
/** Feature or unfeature a script. The gallery shows featured scripts, without their bodies. */
putScript: Method<'admin.gallery.putScript'>
}
}
}
