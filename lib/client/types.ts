// Written by `npm run client` from the declarations of the operations. Do not edit.
import type { FileInput, ServerEvent } from './call-types.ts'

export type AIFeedback = {
id: Id
session_id: Id
subject: AIFeedbackSubject
/** Id of the message, step, fix or handoff. */
subject_id: string
/** Who gave it. */
user_id: string
/** Whether it helped. */
helpful: boolean
/** What would have been right. */
correction: (string | null)
/** The prompt that wrote the answer; null if its call is no longer known. */
prompt: (string | null)
/** The version of the prompt. */
prompt_version: (number | null)
/** The model that answered. */
model: (string | null)
/** When it was given or changed. */
given_at: string
}
export type AIFeedbackPut = {
subject: AIFeedbackSubject
/** Id of the message, step, fix or handoff. */
subject_id: string
/** Whether it helped. */
helpful: boolean
/** What would have been right. */
correction?: (string | null) | undefined
}
/** What the model wrote: a reply of a chat, a guided step, a suggested fix, or the assessment of a handoff. */
export type AIFeedbackSubject = ('reply' | 'step' | 'fix' | 'assessment')
export type AIQuota = {
/** AI builds of the account in this month. */
used: number
/** Allowed AI builds per month; null without a limit, as for super admins. */
limit: (number | null)
/** When the next month of the quota starts, counted from the billing cycle anchor. */
resets_at: string
}
export type AIScriptRunCreate = {
/** The name of the script. By default that of the template, or its first line. */
title?: string | undefined
/** The script template that was run. */
script_template_id?: string | undefined
/** The text that was run, if it is no template. */
script?: string | undefined
/** The machine. */
target: string
/** The exit code; null when it is not known. */
exit_code?: (number | null) | undefined
/** What it printed, at most 64 KB. Colours, control characters and characters that hide or reverse text are removed. */
output?: string | undefined
/** When it started. */
started_at: string
/** When it ended. */
ended_at: string
}
export type AISessionCreate = {
session_type: AiSessionType
/** The problem as reported. */
problem_summary?: string | undefined
/** Id of the ticket in the PSA. */
psa_ticket_id?: string | undefined
/** A published troubleshooting flow that the model follows. */
tree_id?: string | undefined
/** The client’s company. */
client_name?: string | undefined
/** The affected machine or device. */
asset_name?: string | undefined
/** Tags that describe the environment. The model takes them into account. */
environment_tags?: (string)[] | undefined
}
export type AISessionDetail = (AISessionListItem & {
/** Colleagues who view or edit it now. Returned only by changes, and only if there are any. */
also_here?: (PresentColleague)[] | undefined
/** The most likely cause. */
triage_hypothesis: (string | null)
/** The evidence. The model only adds to it. */
evidence_items: ({
id: Id
/** What was observed. */
text: string
source: FactSource
created_at: Timestamp
})[]
/** Open questions and actions, with their responses. */
pending_task_lane: TaskLane
/** Increases with every save. */
task_lane_version: number
/** Whether the session has more than one branch. */
is_branching: boolean
/** Id of the active branch. */
active_branch_id: string
/** The content of the last escalation. */
escalation_package: ({ [key: string]: JsonValue } | null)
/** The notes of its resolution. */
resolution_notes: (string | null)
/** What remains to be done after the resolution. */
follow_up: (string | null)
/** The steps of a guided session, in order. */
steps: (GuidedStep)[]
/** The messages of the active branch, in order. */
messages: (AiMessage)[]
/** In the order in which they were suggested. */
suggested_fixes: (SuggestedFix)[]
/** The recorded facts. */
facts: (AiFact)[]
/** Newest first. */
handoffs: (Handoff)[]
})
export type AISessionListItem = {
id: Id
account_id: Id
/** The user who created it. */
user_id: string
/** Name of that user. */
user_name: (string | null)
session_type: AiSessionType
/** The problem in one line. */
title: string
status: AiSessionStatus
/** The problem as reported. */
problem_summary: (string | null)
/** Id of the linked ticket in the PSA. */
psa_ticket_id: (string | null)
/** The flow that the model follows. */
tree_id: (Id | null)
/** Tags that describe the environment. */
environment_tags: (string)[]
/** The client’s company. */
client_name: (string | null)
/** The affected machine or device. */
asset_name: (string | null)
/** The category of the problem. */
issue_category: (string | null)
/** The target of its last escalation. */
escalated_to_id: (Id | null)
/** The colleague who picked it up and works on it now. */
picked_up_by_id: (Id | null)
/** Increases with every change of a fact or a fix, except when the model proposes an outcome. */
state_version: number
/** The outcome; null until it is resolved. */
outcome: (AiSessionOutcome | null)
created_at: Timestamp
/** When it last changed. */
updated_at: string
/** When it was resolved. */
resolved_at: (Timestamp | null)
}
export type AISessionResolve = {
outcome: AiSessionOutcome
/** What solved the problem, and how that was verified. */
notes?: string | undefined
/** What remains to be done. Only colleagues read it. */
follow_up?: string | undefined
/** Outcomes of fixes, recorded with the resolution. With at least one, open questions and actions are left out of the case. */
outcomes?: (FixOutcomeEntry)[] | undefined
/** Record the outcomes that the model proposes, and leave open questions and actions out of the case. */
accept_proposals?: boolean | undefined
}
export type AISuggest = {
tree_structure: TreeStructure
tree_type: FlowType
/** The requested change, in words. */
instruction: string
/** Id of the node or step to change. */
node_id?: string | undefined
}
export type AISuggestion = {
/** The edit as JSON Patch (RFC 6902); empty when no change is needed. */
patch: (FlowPatchOperation)[]
/** What the edit changes, and why. */
explanation: string
result: TreeStructure
/** Problems that prevent publishing the result. */
problems: (FlowProblem)[]
}
export type AITask = (AITaskItem & {
/** Body of the answer; null until it has finished. */
response: (JsonValue | null)
})
/** Its JSON. */
export type AITaskFinishedEvent = {
/** Id of the task. */
task_id: string
/** The user whose request it is. */
user_id: string
/** The operation of the request. */
operation: string
/** Status of the answer; null if no attempt got one. */
status: (number | null)
}
export type AITaskItem = {
id: Id
/** The operation of the request. */
operation: string
state: AITaskState
/** Number of attempts that jobs have made. */
attempts: number
/** How far the job is. The unit is calls to the model; another one may follow, such as after a search. */
progress: {
phase: AITaskPhase
/** What is done. It never decreases. */
done: number
/** What there is to do. */
total: number
}
/** Status of the answer; null until it has finished. */
response_status: (number | null)
created_at: Timestamp
/** When it was answered; null until then. */
finished_at: (Timestamp | null)
}
/** `waiting`: the model was not asked yet. `finished`: nothing follows. */
export type AITaskPhase = ('waiting' | 'asking' | 'finished')
/** `finished`: `response` is the answer, which can be an error. `failed`: no attempt got an answer. */
export type AITaskState = ('queued' | 'retrying' | 'finished' | 'failed')
export type AIUsage = {
month: AIUsageMonth
total: AIUsageTotals
/** Days with calls, newest first. */
by_day: (AIUsageDay)[]
/** Most expensive first. */
by_prompt: (AIUsagePrompt)[]
/** The 200 most expensive, most expensive first. */
by_person: (AIUsagePerson)[]
}
/** Whose calls the totals contain. */
export type AIUsageCoverage = ('account' | 'own')
export type AIUsageDay = (AIUsageTotals & {
/** The day in UTC. */
date: string
})
/** The month and its budget. */
export type AIUsageMonth = {
/** When the month started, counted from the billing cycle anchor. */
starts_at: string
/** When the next month starts. */
resets_at: string
covers: AIUsageCoverage
/** The part of the month's budget that the account has used, in millionths of a dollar. */
used_micros: number
/** The budget; null for none. */
limit_micros: (number | null)
}
export type AIUsagePerson = (AIUsageTotals & {
/** Who caused the calls; null for a job. */
user_id: (Id | null)
/** The name of that person. */
name: (string | null)
})
export type AIUsagePrompt = (AIUsageTotals & {
/** The kind of request to the model, such as `chat_turn`. */
prompt: string
})
/** All calls of the month. */
export type AIUsageTotals = {
/** Calls to the model. */
calls: number
/** Calls without a usable answer. They can cost tokens too. */
failed_calls: number
/** Tokens sent, cached ones included. */
input_tokens: number
/** Sent tokens that the provider had in its cache. */
cached_tokens: number
/** Tokens received, reasoning included. */
output_tokens: number
/** Tokens of the reasoning before the answers. */
reasoning_tokens: number
/** Cost in millionths of a dollar. A running call counts with its reserved cost. */
cost_micros: number
}
export type AccountDeletion = {
/** The name of the account, as a confirmation. */
name: string
}
export type AccountExport = {
id: Id
contents: AccountExportContents
status: AccountExportStatus
/** Bytes of the archive so far. */
size: number
/** How far the job is. The unit is kinds of records and files; 0 of 0 before it runs. */
progress: {
phase: AccountExportPhase
/** What is done. It never decreases. */
done: number
/** What there is to do. */
total: number
}
/** Records so far by kind, and files. */
counts: { [key: string]: number }
/** The admin who started it. */
requested_by: (Id | null)
created_at: Timestamp
/** When the archive was complete. */
ready_at: (Timestamp | null)
/** When the archive is deleted, 7 days after it is ready. */
expires_at: (Timestamp | null)
}
/** `all`: every record and file. `restorable`: only what an import restores, which makes a smaller archive. */
export type AccountExportContents = ('all' | 'restorable')
export type AccountExportCreate = {
contents?: AccountExportContents | undefined
}
export type AccountExportLink = {
/** Address of the ZIP archive. It needs no sign-in, so treat it as a secret. */
url: string
/** When the link ends: after 24 hours, or with the archive. */
expires_at: string
}
/** `writing`: records and files are added to the archive. `finished`: nothing follows. */
export type AccountExportPhase = ('waiting' | 'writing' | 'finished')
/** `ready`: can be downloaded. `expired`: the archive is deleted. `failed`: start a new export. */
export type AccountExportStatus = ('queued' | 'running' | 'ready' | 'failed' | 'expired')
export type AccountGuard = ('email_not_verified' | 'subscription_lapsed' | 'password_change_required' | 'mfa_setup_required')
export type AccountImport = {
id: Id
status: AccountImportStatus
/** How far the job is. The unit is bytes of records; each counts when it is checked, and again when it is prepared for storing. */
progress: {
phase: AccountImportPhase
/** What is done. It never decreases. */
done: number
/** What there is to do. */
total: number
}
/** Records that were restored, by kind. Empty until the import has succeeded. */
restored: { [key: string]: number }
/** Records of kinds that an import never restores. */
not_restored: { [key: string]: number }
/** Records that cannot be restored, at most 200. */
skipped: ({
/** Kind of the record. */
kind: string
/** Its name. */
name: (string | null)
/** Why it is not restored. */
reason: string
})[]
/** Number of records that cannot be restored. */
skipped_count: number
/** Why the import has failed, in the form of an error answer; null otherwise. A full plan is `limit_reached`. */
problem: ({
/** What is wrong. */
detail: string
/** Code of the error. */
code?: string | undefined
} | null)
/** The admin who started it. */
requested_by: (Id | null)
created_at: Timestamp
/** When it succeeded or failed. */
finished_at: (Timestamp | null)
}
/** `checking`: records are read. `preparing`: their new ids are written. `storing`: all are stored at once. `finished`: nothing follows. */
export type AccountImportPhase = ('waiting' | 'checking' | 'preparing' | 'storing' | 'finished')
/** `succeeded`: everything is stored. `failed`: nothing is stored; `problem` says why. */
export type AccountImportStatus = ('queued' | 'running' | 'succeeded' | 'failed')
/** The preferences of the account. */
export type AccountPreferences = { [key: string]: JsonValue }
/** Keys to set. A null value removes its key; keys that are absent stay. At most 64 keys and 16 KB in all. */
export type AccountPreferencesUpdate = {
/** Whether to offer a template after a script is used. */
templatize_prompt_enabled?: (boolean | null) | undefined
/** The default format of exports. */
default_export_format?: (ExportFormat | null) | undefined
/** Whether exports are masked by default. Changed by admins. */
mask_exports?: (boolean | null) | undefined
/** The theme of the frontend. */
theme?: (string | null) | undefined
}
export type AccountResponse = {
id: Id
/** The name that members see. */
name: string
/** IANA time zone. */
timezone: string
/** Settings that the frontend stores for the account. */
settings: { [key: string]: JsonValue }
/** Whether every member must have a second factor. */
require_mfa: boolean
/** The colour of the e-mails, as `#rrggbb`; null for the default. */
brand_colour: (string | null)
retention: Retention
/** The current plan; `free` after a trial has expired. */
plan: string
subscription_status: SubscriptionStatus
/** When the trial ends or ended. */
trial_ends_at: (Timestamp | null)
/** When the account will be erased; null unless an admin has asked for it. */
deletes_at: (Timestamp | null)
/** Limits of the plan. */
limits: {
/** Seats; null for no limit. */
max_users: (number | null)
}
/** Current usage of the limits. */
usage: {
/** Active members. */
users: number
/** Open invites. Each takes a seat. */
open_invites: number
}
created_at: Timestamp
}
export type AccountUpdate = {
/** The name that members see. */
name?: string | undefined
/** IANA time zone. */
timezone?: string | undefined
/** Replaces all settings. At most 64 keys and 16 KB. */
settings?: { [key: string]: JsonValue } | undefined
/** Whether every member must have a second factor. Members without one can only set it up. */
require_mfa?: boolean | undefined
/** The colour of the e-mails. Where it could not be read, it is darkened, or lightened in dark mode. */
brand_colour?: (string | null) | undefined
retention?: RetentionUpdate | undefined
}
export type AccountUsage = {
/** Flows that are not deleted. */
flows: Quota
/** AI sessions that are not resolved, abandoned or archived. */
open_ai_sessions: Quota
/** Maintenance schedules. */
schedules: Quota
/** Notification configs. */
notification_configs: Quota
/** Webhooks. */
webhooks: Quota
/** Content of uploads, diagrams and all flow versions, those of deleted flows too. */
stored_bytes: Quota
/** E-mails since midnight UTC. In a trial at most 50. */
mails_per_day: Quota
/** Cost of the model in this month, in millionths of a dollar. In a trial at most 5,000,000. */
ai_cost_micros: Quota
}
export type AdminAccountResponse = {
id: Id
/** The name that members see. */
name: string
/** IANA time zone. */
timezone: string
/** Active members. */
user_count: number
created_at: Timestamp
/** The current plan; `free` after a trial has expired. */
plan: string
subscription_status: SubscriptionStatus
/** When the trial ends or ended. */
trial_ends_at: (Timestamp | null)
}
export type AdminDevice = {
id: Id
/** The User-Agent header of the device. */
user_agent: string
/** The IP address of the sign-in. */
ip: string
/** Time of the sign-in. */
created_at: string
/** When the tokens of the sign-in were last refreshed. */
last_used_at: string
/** Until when the tokens of the sign-in can be refreshed. */
expires_at: string
/** When the sign-in was revoked. */
ended_at: (Timestamp | null)
}
export type AdminPlanChange = {
/** The key of the plan. */
plan?: string | undefined
}
/** The subscription of that account. */
export type AdminSubscription = {
/** The account of the subscription. */
account_id: string
/** The current plan; `free` after a trial has expired. */
plan: string
status: SubscriptionStatus
/** When the trial ends or ended. */
trial_ends_at: (Timestamp | null)
/** Since when a payment is overdue. */
past_due_since: (Timestamp | null)
/** Limits of the plan. */
limits: {
/** Seats; null for no limit. */
max_users: (number | null)
/** Knowledge imports in total; null for no limit. */
max_kb_imports: (number | null)
/** AI builds per month; null for no limit. */
max_ai_builds_per_month: (number | null)
}
}
export type AdminUserDetailResponse = {
user: AdminUserResponse
/** The account of the user. */
account: {
id: Id
/** The name that members see. */
name: string
/** IANA time zone. */
timezone: string
/** Active members. */
user_count: number
created_at: Timestamp
}
subscription: AdminSubscription
/** The last 50 sign-ins, revoked ones too. */
sessions: (AdminDevice)[]
/** The last 50 entries of the account by or about this user. */
audit_logs: (AuditLogEntry)[]
}
/** The user. */
export type AdminUserResponse = (UserResponse & {
/** Whether this user may sign in. */
is_active: boolean
})
export type AiBranch = {
id: Id
/** Id of the AI session. */
session_id: string
/** Id of the branch it starts from; null for the main branch. */
parent_branch_id: (Id | null)
/** Name of the branch. */
name: string
/** Whether it is the active branch. */
is_active: boolean
created_at: Timestamp
/** The user who created it. */
created_by: string
}
export type AiBranchCreate = {
/** Name of the branch. */
name: string
/** The message of the active branch after which it starts; the last message when left out. */
from_message_id?: string | undefined
}
export type AiFact = {
id: Id
/** The subject of the fact. A session has one fact per key. */
key: string
/** The value of the fact. */
value: string
/** Who recorded it. */
source: FactSource
/** The user who recorded it. For a fact of the model: the user who asked the model. */
created_by: string
created_at: Timestamp
/** When it was last changed. */
updated_at: string
}
export type AiFactCreate = {
/** The subject of the fact. A fact with the same key is updated. */
key: string
/** The value of the fact. */
value: string
}
export type AiFactSettled = (AiFact & {
/** Increases with every change of a fact or a fix, except when the model proposes an outcome. */
state_version: number
})
export type AiFacts = {
/** Increases with every change of a fact or a fix, except when the model proposes an outcome. */
state_version: number
/** In the order in which they were first recorded. */
facts: (AiFact)[]
}
export type AiMessage = {
id: Id
/** The author. `user`: a technician. `assistant`: the model. */
role: MessageRole
/** The text of the message. The model writes markdown. */
content: string
/** Ids of the attached images. */
upload_ids: (Id)[]
/** Id of the branch it belongs to. */
branch_id: string
/** The flows, articles and resolved sessions that the model has used, of those in its prompt. All of them, if it gave no answer. */
citations: (Citation)[]
/** The flows, articles and resolved sessions that fitted the case, best first. Empty if none did. */
sources: (Citation)[]
/** The offer to draft a flow from the case; null if a published flow fitted it. */
flow_offer: (FlowOffer | null)
lookups: Lookups
/** Why the model gave no answer; null if it did. `declined`: it refused. `unusable`: its answer was broken twice. `truncated`: it was too long twice. The text says so, and the citations are sources that may fit. */
failure: (AnswerFailure | null)
created_at: Timestamp
}
export type AiOutput = {
id: Id
/** Id of the AI session. */
session_id: string
kind: AiOutputKind
/** The text, as markdown. */
content: string
/** Whether a user changed the text of the model. */
edited: boolean
/** When it was added to the ticket. */
pushed_at: (Timestamp | null)
/** State of the push to the ticket; null while no push has been requested, and after an edit. */
psa_push: (AiOutputPushState | null)
/** The e-mail with a pushed `client_email` that the ticketing system sends to the contact of the ticket, with a masked address; null when none was requested. */
client_mail: (PsaClientMail | null)
/** The user who requested it. */
created_by: string
created_at: Timestamp
/** When it last changed. */
updated_at: string
}
export type AiOutputCreate = {
kind: AiOutputKind
}
/** `resolution_summary`: a summary for colleagues. `ticket_note`: a note for the ticket. `client_email`: an e-mail to the client. `kb_article`: an article for the knowledge base. */
export type AiOutputKind = ('resolution_summary' | 'ticket_note' | 'client_email' | 'kb_article')
export type AiOutputPatch = {
/** The new text, as markdown. */
content?: string | undefined
}
export type AiOutputPush = {
/** Whether the ticketing system also mails a `client_email` to the contact of the ticket. */
notify?: boolean | undefined
}
export type AiOutputPushState = ('queued' | 'pushed' | 'failed')
/** The outcome of the session. */
export type AiSessionOutcome = ('resolved' | 'workaround' | 'not_reproducible')
/** `active`: in progress. `parked`: paused. `escalated`: waits for a colleague. `requesting_escalation`: the older name of `escalated`. `claimed`: a colleague has claimed it. `resolved`: closed with an outcome. `abandoned`: closed without an outcome. `archived`: closed because it was idle. */
export type AiSessionStatus = ('active' | 'parked' | 'requesting_escalation' | 'escalated' | 'claimed' | 'resolved' | 'abandoned' | 'archived')
/** `guided`: step by step. `chat`: a free conversation. */
export type AiSessionType = ('guided' | 'chat')
/** A number of days that ends today, in my time zone. */
export type AnalyticsPeriod = ('7d' | '30d' | '90d')
export type AnswerFailure = ('declined' | 'unusable' | 'truncated')
export type ApiKey = {
/** Also the id of the user as which the key acts. */
id: string
/** What the key is for. Rows that it creates show it as the name of their author. */
name: string
/** The role of the key. */
role: Role
/** The team of the key; null for none. */
team_id: (Id | null)
/** What the key may do. `write` includes `read`, and `*` is every subject. */
scopes: (ApiKeyScope)[]
/** The addresses that may use the key, as CIDR ranges. Empty for any address. */
allowed_ranges: (string)[]
/** The last four characters of the key. */
last_characters: string
/** The admin who created the key. */
created_by: string
/** The name of that admin. */
creator_name: (string | null)
/** When the key stops working; null for never. */
expires_at: (Timestamp | null)
/** When the key was last admitted, to the minute; null for never. */
last_used_at: (Timestamp | null)
/** The address of that request. */
last_ip: (string | null)
/** The user agent of that request. */
last_user_agent: (string | null)
created_at: Timestamp
}
export type ApiKeyCreate = {
/** What the key is for. */
name: string
/** The role of the key. */
role: Role
/** The team that the key works for, as a member. Without one, it sees and creates what belongs to no team. */
team_id?: (string | null) | undefined
/** What the key may do. `write` includes `read`, and `*` is every subject. */
scopes: (ApiKeyScope)[]
/** Addresses or CIDR ranges that may use the key; by default any. */
allowed_ranges?: (string)[] | undefined
/** When the key stops working; by default never. */
expires_at?: (string | null) | undefined
}
export type ApiKeyScope = ('*:read' | '*:write' | 'accounts:read' | 'ai:read' | 'ai:write' | 'analytics:read' | 'authoring:read' | 'authoring:write' | 'diagrams:read' | 'diagrams:write' | 'flows:read' | 'flows:write' | 'maintenance:read' | 'maintenance:write' | 'oncall:read' | 'oncall:write' | 'psa:read' | 'psa:write' | 'scripts:read' | 'scripts:write' | 'search:read' | 'sessions:read' | 'sessions:write' | 'uploads:read' | 'uploads:write')
/** Its JSON. */
export type ApprovalChangedEvent = {
/** Id of the approval. */
approval_id: string
/** Id of the session. */
session_id: string
state: ApprovalEventState
/** The user who requested it. */
requested_by: string
/** The users who may decide; empty once it is decided. */
approver_ids: (Id)[]
}
/** The new state of the approval. */
export type ApprovalEventState = ('pending' | 'approved' | 'rejected' | 'expired')
export type ApprovalGrant = {
/** Comment for the technician. */
comment?: string | undefined
}
/** `step`: the answer of a step. `script`: the rendering of a script. */
export type ApprovalKind = ('step' | 'script')
export type ApprovalListItem = {
id: Id
/** The session that waits. */
session_id: string
kind: ApprovalKind
/** The current step of the session at the time of the request. */
step_id: (string | null)
/** The title of the step or the name of the script. */
title: string
/** The script template; null for a step. */
script_template_id: (Id | null)
/** The risk of the script; null for a step. */
risk: (ApprovedScriptRisk | null)
state: ApprovalState
/** Comment of the request. */
comment: (string | null)
/** The user who requested it. */
requested_by: string
/** The name of that user. */
requested_by_name: (string | null)
requested_at: Timestamp
/** When the request expires; once it is approved, when the approval expires. */
expires_at: string
/** The user who decided. */
decided_by: (Id | null)
/** The name of that user. */
decided_by_name: (string | null)
/** When it was decided. */
decided_at: (Timestamp | null)
/** Comment of the decision. */
decision_comment: (string | null)
/** Whether I may decide it now. */
may_decide: boolean
}
export type ApprovalRejection = {
/** Why, for the technician. */
comment: string
}
export type ApprovalRequest = {
/** What the approvers should know. */
comment?: string | undefined
}
/** Who must approve the step before its answer counts. Never the user who runs the session. */
export type ApprovalRequirement = {
/** `engineer`: any engineer or admin. `team_admin`: an admin of the session’s team. `account_admin`: an admin of the account. */
roles?: ((ApproverRole)[] | null) | undefined
/** Ids of further users who may approve. */
user_ids?: ((string)[] | null) | undefined
/** How long a request waits, and how long an approval is valid. The default is 60. */
expires_after_minutes?: (number | null) | undefined
}
export type ApprovalResponse = (ApprovalListItem & {
/** The description of the step, or the rendered script. Secrets are replaced by `[secret]`. */
subject: string
/** Why the script has at least its risk, or needs administrator rights: at most 20 reasons. Empty when its content gives none. */
risk_reasons: (ScriptRiskReason)[]
})
/** `voided`: the session moved on or ended. `used`: the step was answered. */
export type ApprovalState = ('pending' | 'approved' | 'rejected' | 'expired' | 'voided' | 'used')
export type ApprovedScriptRisk = ('medium' | 'high')
export type ApproverRole = ('engineer' | 'team_admin' | 'account_admin')
/** Format of the article. */
export type ArticleFormat = ('markdown' | 'text' | 'html' | 'docx' | 'pdf')
/** The state of the assessment. */
export type AssessmentResult = ('ready' | 'failed' | 'timed_out')
export type AssessmentStatus = ('pending' | 'ready' | 'failed' | 'timed_out')
export type AuditLogEntry = {
id: Id
account_id: Id
/** The user who acted; null for the service itself. */
actor_id: (Id | null)
/** The current name of that user. */
actor_name: (string | null)
/** The resource type and what was done, such as `member.updated`. */
action: string
/** The type of the changed resource. */
resource_type: string
/** The id of the changed resource. */
resource_id: (Id | null)
/** The old and the new value of each changed field; `[redacted]` for a secret. */
changes: { [key: string]: JsonValue }
/** The client's IP address. */
ip: (string | null)
created_at: Timestamp
}
export type BatchCreate = {
/** A published maintenance flow of my team. */
tree_id: string
/** What to run the flow on; one session for each. */
targets: (BatchTarget)[]
/** The client of all sessions. */
client_name?: string | undefined
/** The ticket of all sessions. */
ticket_number?: string | undefined
}
export type BatchProgressResponse = {
batch_id: Id
/** The flow that the sessions run. */
tree_id: string
/** Number of sessions in the batch. */
total: number
by_state: SessionsByState
by_outcome: SessionsByOutcome
/** Percentage of sessions that are completed or abandoned, rounded down. */
percent: number
}
export type BatchResponse = {
/** Id of the batch, which is the `batch_id` of every session. */
batch_id: string
/** The prepared sessions, one per target, in the order of the targets. */
sessions: ({
/** Id of the session. */
id: string
/** Target of the session. */
target_label: string
})[]
}
export type BatchTarget = {
/** Name of the target, such as a device, a client or a site. */
label: string
variables?: SessionVariables | undefined
}
/** What the feedback is about. */
export type BetaFeedbackCategory = ('general' | 'bug' | 'idea' | 'ui' | 'ai' | 'performance')
export type BetaFeedbackCreate = {
reaction: BetaReaction
category: BetaFeedbackCategory
/** The feedback. */
text: string
/** The page that the user was on. */
page_url?: string | undefined
/** The AI session that the feedback is about. */
ai_session_id?: string | undefined
}
export type BetaFeedbackResponse = {
id: Id
/** The account of the author. */
account_id: string
/** The name of that account. */
account_name: string
/** The author. */
user_id: string
/** The name of the author. */
user_name: string
reaction: BetaReaction
category: BetaFeedbackCategory
/** The feedback. */
text: string
/** The page that the user was on. */
page_url: (string | null)
/** The AI session that the feedback is about. */
ai_session_id: (Id | null)
created_at: Timestamp
}
/** The reaction of the user. */
export type BetaReaction = ('positive' | 'neutral' | 'negative')
export type BillingCheckoutInput = {
/** The plan to buy: a public plan of `GET /plans/public` that has a price. */
plan: string
interval: BillingInterval
}
export type BillingCheckoutSession = {
/** The address of the provider's page for paying. It ends after 24 hours, and anyone with it can open the page. */
url: string
}
/** How often the account pays. */
export type BillingInterval = ('monthly' | 'annual')
export type BillingPortalSession = {
/** The address of the provider's payment page. It is short-lived, and anyone with it can open the page. */
url: string
}
export type BrandingResponse = {
/** The team of this branding. */
team_id: string
/** The name in the header of every page; null for the name of the account. */
company_name: (string | null)
/** The colour of headings and lines, as `#rrggbb`. */
primary_colour: (string | null)
/** The text in the footer of every page. */
footer_text: (string | null)
/** The id of an uploaded image of the account. */
logo_upload_id: (string | null)
}
export type BrandingUpdate = {
/** The name in the header of every page; null for the name of the account. */
company_name?: (string | null) | undefined
/** The colour of headings and lines, as `#rrggbb`. */
primary_colour?: (string | null) | undefined
/** The text in the footer of every page. */
footer_text?: (string | null) | undefined
/** The id of an uploaded image of the account. */
logo_upload_id?: (string | null) | undefined
}
export type CanPublishResponse = {
/** Whether there are no errors. */
can_publish: boolean
/** Every problem that prevents publishing. */
errors: (FlowProblem)[]
/** Problems that do not prevent publishing. */
warnings: (FlowProblem)[]
}
export type CategoryCreate = {
/** Unique in the account, ignoring case. */
name: string
}
export type CategoryResponse = {
id: Id
/** The account it belongs to; the platform account for categories that ship with the service. */
account_id: string
/** Unique in its account, ignoring case. */
name: string
/** Number of flows in this category that I can see. */
flow_count: number
/** The user who created it. */
created_by: (Id | null)
created_at: Timestamp
}
export type CategoryUpdate = {
/** Unique in the account, ignoring case. */
name?: string | undefined
}
export type ChangePasswordRequest = {
/** The current password. */
current_password: string
/** 10 to 128 characters. Must not contain the e-mail address or be a common password. */
new_password: string
}
export type ChatMessage = {
/** The message; 1 to 8,000 characters. */
message: string
/** Ids of my uploaded images for the model; at most 3. */
upload_ids?: (Id)[] | undefined
}
/** Its JSON. */
export type ChatMessageResponse = {
/** The reply of the model. */
message: {
id: Id
/** The model. */
role: 'assistant'
/** The text, as markdown. */
content: string
/** The flows, articles and resolved sessions that the model has used, of those in its prompt. All of them, if it gave no answer. */
citations: (Citation)[]
/** The flows, articles and resolved sessions that fitted the case, best first. Empty if none did. */
sources: (Citation)[]
/** The offer to draft a flow from the case; null if a published flow fitted it. */
flow_offer: (FlowOffer | null)
lookups: Lookups
/** Why the model gave no answer; null if it did. `declined`: it refused. `unusable`: its answer was broken twice. `truncated`: it was too long twice. The text says so, and the citations are sources that may fit. */
failure: (AnswerFailure | null)
created_at: Timestamp
}
/** Fields of the triage header that the model filled. The model never overwrites a value. */
triage_update?: {
/** The client’s company. */
client_name?: string | undefined
/** The affected machine or device. */
asset_name?: string | undefined
/** The category of the problem. */
issue_category?: string | undefined
/** The most likely cause. */
triage_hypothesis?: string | undefined
/** All evidence, when the model added some. */
evidence_items?: ({
id: Id
/** What was observed. */
text: string
source: FactSource
created_at: Timestamp
})[] | undefined
} | undefined
suggested_fix?: SuggestedFix | undefined
/** The whole task lane, when the model added to it. */
task_lane_update?: TaskLane | undefined
/** The outcome that the model proposes for a fix. The technician decides on it. */
outcome_proposal?: {
outcome: ProposedFixOutcome
/** The words from which the model derives it. */
reason: string
created_at: Timestamp
/** Id of the fix. */
fix_id: string
} | undefined
}
export type Citation = {
kind: CitationKind
id: Id
/** Its title when it was used. */
title: string
}
/** `flow`: a published flow. `article`: a knowledge import. `session`: a resolved AI session. */
export type CitationKind = ('flow' | 'article' | 'session')
export type ComparisonFormat = ('json' | 'html')
export type Consent = {
/** Where to send the browser. */
redirect_to: string
}
export type ConsentCreate = {
/** The program. */
client_id: string
/** One of the addresses that the program has registered, exactly. */
redirect_uri: string
/** What the person agrees to. */
scopes: (ApiKeyScope)[]
/** The S256 code challenge of the program (PKCE). */
code_challenge: string
/** The `state` of the program. */
state?: string | undefined
}
export type CreatedApiKey = (ApiKey & {
/** The key. It is shown only here, because only its hash is stored. */
key: string
})
/** `ad-hoc`: written during the session. `step-library`: taken from the step library. `forked-tree`: taken from another flow. */
export type CustomStepSource = ('ad-hoc' | 'step-library' | 'forked-tree')
export type DailyRotation = {
/** Each member is on call for a day. */
kind: 'daily'
/** Rotations of different layers apply side by side; the highest with somebody on duty counts. 1 if absent. */
layer?: number | undefined
/** The hours on duty, such as business hours, nights or weekends. Outside of them a lower layer applies. Always if absent. */
hours?: (OnCallHours)[] | undefined
hours_zone?: OnCallHoursZone | undefined
/** Ids of the users, in the order of their turns. */
members: (string)[]
/** When a turn ends and the next begins, in the time zone of the schedule. */
handoff_time: string
/** The first day. The rotation begins on it at `handoff_time`. */
starts_on: string
}
export type DeliveryState = ('pending' | 'retrying' | 'delivered' | 'failed')
export type DependencyState = ('ok' | 'failed' | 'in_process')
/** The kind of device. */
export type DeviceCategory = ('network' | 'compute' | 'storage' | 'cloud' | 'endpoint' | 'infrastructure' | 'security')
export type DeviceTypeCreate = {
/** Name of the device type; unique in a team, ignoring case. */
name: string
category: DeviceCategory
/** Name of an icon; null for the icon of the category. */
icon?: (string | null) | undefined
}
export type DeviceTypeResponse = {
id: Id
/** Name of the device type. */
name: string
category: DeviceCategory
/** Name of an icon; null for the icon of the category. */
icon: (string | null)
/** Whether the type ships with the service. Such types cannot be changed. */
is_system: boolean
/** The team it belongs to. */
team_id: (Id | null)
created_at: Timestamp
}
export type DeviceTypeUpdate = {
/** Name of the device type; unique in a team, ignoring case. */
name?: string | undefined
category?: DeviceCategory | undefined
/** Name of an icon; null for the icon of the category. */
icon?: (string | null) | undefined
}
export type DiagramClient = {
/** Name of the client. */
client_name: string
/** Number of diagrams of the client that are not archived. */
count: number
}
export type DiagramEdge = {
/** Unique among the nodes or among the edges of the diagram. */
id: string
/** The id of the node where the edge starts. */
source: string
/** The id of the node where the edge ends. */
target: string
/** A text at the middle of the line. */
label?: string | undefined
routing?: EdgeRouting | undefined
/** Style properties for the frontend. The SVG export uses colours, line widths, dashes and sizes. */
style?: { [key: string]: unknown } | undefined
}
export type DiagramExportFormat = ('json' | 'svg' | 'png' | 'drawio' | 'mermaid')
/** `replace`: a new drawing. `merge`: additions to the diagram `diagram_id`. */
export type DiagramGenerateMode = ('replace' | 'merge')
export type DiagramNode = {
/** Unique among the nodes or among the edges of the diagram. */
id: string
/** The node type of the frontend, a device category, or `group`. */
type: string
/** The upper left corner of the node, on the page also within a group. */
position: {
/** Distance from the left, in pixels. */
x: number
/** Distance from the top, in pixels. */
y: number
}
/** The id of the node that is the group around this one, such as a site or a rack. At most 20 levels. */
parent_id?: string | undefined
/** The name of a device type. */
nodeType?: string | undefined
/** Style properties for the frontend. The SVG export uses colours, line widths, dashes and sizes. */
style?: { [key: string]: unknown } | undefined
/** Any data of the node. `label` is its text and `category` its device category. */
data: { [key: string]: unknown }
}
export type DiagramVersionListItem = {
/** Version number, starting at 1. */
version: number
/** The name in this version. */
name: string
/** The user who saved this version; null if it was not recorded. */
saved_by: (Id | null)
/** The name of that user. */
saved_by_name: (string | null)
/** The older version that was restored as this one; null for any other save. */
restored_from: (number | null)
/** Whether this is the current version. */
is_current: boolean
/** When it was saved. */
created_at: string
}
export type DiagramVersionResponse = (DiagramVersionListItem & {
/** Description of the network. */
description: string
/** The client whose network it shows. */
client_name: (string | null)
/** The asset that it shows. */
asset_name: (string | null)
/** At most 1,000. */
nodes: (DiagramNode)[]
/** At most 2,000. */
edges: (DiagramEdge)[]
})
export type DocumentationPush = {
session_id: Id
psa_push: DocumentationPushState
}
/** The state of the push to the ticket; `not_linked` for an abandoned session, and without a ticket or a connected PSA. */
export type DocumentationPushState = ('pushed' | 'queued' | 'failed' | 'not_linked')
export type DraftTemplateAccept = {
/** The script. `{{ name }}` and `{{ name | filter }}` are replaced with the values of parameters, `{{! text }}` with the literal text `{{ text }}`. */
script_body?: string | undefined
/** Name of the template. */
name?: string | undefined
/** The template’s category. */
category_id?: (Id | null) | undefined
/** What the script does. */
description?: string | undefined
parameters_schema?: ScriptParameters | undefined
}
export type DraftTemplateResponse = {
id: Id
status: DraftTemplateStatus
/** Proposed name of the template. */
name: string
/** What the script does. */
description: string
language: ScriptLanguage
/** The script, with its placeholders. */
script_body: string
proposed_parameters: ScriptParameters
/** The AI session that the script came from. */
source_session_id: (Id | null)
/** The template that was created from the draft. */
promoted_template_id: (Id | null)
/** The user who proposed it. */
created_by: string
created_at: Timestamp
/** When it was accepted or rejected. */
resolved_at: (Timestamp | null)
}
/** `pending` until the draft is accepted or rejected. */
export type DraftTemplateStatus = ('pending' | 'accepted' | 'rejected')
export type DrawioFile = {
/** A draw.io file. */
format: 'drawio'
/** The text of the file, plain or compressed. It may be an SVG or HTML file that draw.io exported with a copy of the diagram. */
content: string
/** The page to import: its number, of which the first is 1, or its name. `skipped` names the others. */
page?: (number | string) | undefined
/** Name of the diagram; the name of the page by default. */
name?: string | undefined
/** The client whose network it shows. */
client_name?: (string | null) | undefined
}
/** The form of the line. The default is `straight`. */
export type EdgeRouting = ('straight' | 'curved' | 'step')
export type EmailChangeConfirmation = {
/** The token of the link in the e-mail to the new address. */
token: string
}
export type EmailChangeCreate = {
/** The address to sign in with. */
new_email: string
/** My password; required if I have one. */
password?: string | undefined
}
export type EmailChangeResponse = {
/** The address that was asked for. */
new_email: string
created_at: Timestamp
/** When the change ends, if nobody has confirmed it. */
expires_at: string
}
/** `off`: an e-mail per event. `hourly` and `daily`: one e-mail with the events since the last one. */
export type EmailDigest = ('off' | 'hourly' | 'daily')
export type EmailProblem = {
kind: EmailProblemKind
/** When the mail provider said so. */
occurred_at: string
}
/** `bounced`: the address does not exist; `complained`: its owner called an e-mail spam; `suppressed`: it is on a list of the mail provider. */
export type EmailProblemKind = ('bounced' | 'complained' | 'suppressed')
/** Every error code of the API, with its status. - `email_complaint` (409): The owner of the address called an e-mail spam; only they can take that back. - `flow_empty` (400): The flow has no steps yet. - `flow_invalid` (400): The flow has errors; see `errors`. - `invalid_targets` (400): The targets do not match the flow. - `invite_code_invalid` (400): This invite code is wrong, used or expired. - `invite_code_required` (400): Registering needs an invite code. - `invite_email_mismatch` (400): This invite was sent to another address. - `managed_by_flow` (400): This step belongs to a flow; change it there. - `markdown_invalid` (400): The file cannot be read; see `problems`. - `mfa_code_invalid` (400): The code is wrong or was used; enter the next one. - `no_password` (400): You have no password yet; request a link to set one. - `no_script` (400): This fix has no script; write one first. - `no_target_list` (400): You cannot see the target list of this schedule. - `not_own_team` (400): The flow belongs to another team; fork it first. - `not_published` (400): The flow is not published; publish it first. - `oauth_email_missing` (400): The identity provider returned no e-mail address. - `oauth_email_unverified` (400): The identity provider has not verified your e-mail address. - `oauth_refused` (400): The identity provider did not confirm this sign-in; start again. - `oauth_state_invalid` (400): This sign-in was completed, has expired or was not started here; start again. - `passkey_invalid` (400): The passkey was not accepted; start again. - `platform_flow` (400): A flow that ships with the service cannot be changed; fork it first. - `token_invalid_or_expired` (400): This link was used, has expired or is wrong; request a new one. - `unknown_category` (400): This category does not exist. - `unsupported_version` (400): This version of the format is not supported. - `wrong_flow_type` (400): This needs a flow of another type. - `wrong_password` (400): The current password is wrong. - `mfa_token_invalid` (401): This sign-in has expired or was completed; sign in again. - `refresh_token_reused` (401): This refresh token was used before; sign in again. - `user_deactivated` (401): This user is deactivated. - `account_admin_required` (403): Only an account admin may change this. - `address_not_allowed` (403): This API key cannot be used from your address. - `closed_to_keys` (403): API keys cannot call this operation. - `email_not_verified` (403): Verify your e-mail address to continue. - `feature_disabled` (403): This feature is switched off for your account. - `insufficient_scope` (403): The scopes of this API key do not include this operation. - `kb_quota_exceeded` (403): Your plan allows no more knowledge imports. - `mfa_setup_required` (403): Set up two-factor sign-in to continue. - `password_change_required` (403): Change your password to continue. - `step_up_required` (403): Verify your second factor again to continue. - `subscription_lapsed` (403): This account's subscription has lapsed. - `invite_invalid_or_expired_or_revoked` (404): invite_invalid_or_expired_or_revoked. - `link_ended` (410): This link was used, or what it leads to has ended. - `account_not_empty` (409): The account already has flows, scripts, diagrams or target lists; import into a new account. - `approval_required` (409): A colleague must approve this first; request an approval. - `already_claimed` (409): Another colleague has already claimed this. - `already_committed` (409): This import has already become a flow. - `already_decided` (409): This has already been decided. - `already_has_ticket` (409): The session already has a ticket number. - `already_member` (409): This address already belongs to a member. - `already_pending` (409): An earlier one is still open. - `already_pushed` (409): This output is already queued or pushed. - `already_subscribed` (409): This account has a paid subscription; change it in the billing portal. - `already_started` (409): Another user started this a few seconds ago. - `email_taken` (409): This address is already taken. - `idempotency_key_in_use` (409): The first request with this Idempotency-Key is still running. - `in_use` (409): Something still uses this. - `invite_closed` (409): This invite has already been accepted or revoked. - `identity_taken` (409): This identity signs in another user; unlink it there first. - `last_admin` (409): An account keeps at least one active admin. - `last_sign_in_method` (409): You could not sign in without it; set a password or link another identity first. - `last_super_admin` (409): The platform keeps at least one active super admin. - `limit_reached` (409): The limit is reached. - `mfa_already_enabled` (409): An authenticator app is set up already; remove it first. - `mfa_not_enabled` (409): No second factor is set up. - `name_taken` (409): This name is already taken. - `no_approver` (409): Nobody else may approve this; ask an admin. - `no_decision` (409): There is no decision to undo. - `no_draft` (409): There is no draft yet. - `no_ticket` (409): This session has no ticket. - `not_converted` (409): Convert the import first. - `not_failed` (409): Only a failed one can be retried. - `not_on_trial` (409): This account is not on a trial. - `onboarding_step_passed` (409): A later step was already sent. - `provider_id_taken` (409): Another plan already uses one of these provider ids. - `provider_linked` (409): Another identity of this provider is linked to you; unlink it first. - `psa_member_not_mapped` (409): You are not mapped to a member of the ticketing system. - `psa_not_connected` (409): No ticketing system is connected to this account. - `runner_not_connected` (409): No runner of scripts is connected to this account. - `schedule_busy` (409): The schedule is catching up; try again in a minute. - `seat_limit_reached` (409): Every seat of the plan is taken. - `session_limit_reached` (409): Too many sessions are open; delete one first. - `stale_version` (409): Someone else changed this. Reload it and apply your change again. - `step_not_current` (409): This is not the current step. - `subflow_running` (409): A sub-flow is running; complete or abandon its session first. - `subflow_unavailable` (409): The flow of this step cannot be run; answer the step by hand. - `target_gone` (409): The flow to update no longer exists. - `unsettled_items` (409): The case has proposals, questions or actions that nobody has decided on. - `wrong_session_type` (409): This needs a session of another type. - `wrong_state` (409): This is not possible in the current state. - `websocket_unavailable` (426): There are no WebSockets here; request the server-sent events, without `Upgrade`. - `ai_budget_exhausted` (429): This month's AI budget is used up. - `ai_quota_exceeded` (429): This month's quota is used up. - `sign_in_locked` (429): Too many failed sign-ins for this address; try again later. - `masking_failed` (500): Masking failed; nothing was exported. - `ai_provider_error` (502): The AI provider failed; try again. - `ai_not_configured` (503): This service has no AI provider; its operator can add one. - `mail_not_configured` (503): This service sends no e-mails; its operator can add a mail provider. - `oauth_provider_error` (502): The identity provider does not answer as it should; try again. - `psa_auth_failed` (502): The ticketing system refuses the credentials. - `psa_error` (502): The ticketing system failed. - `psa_rate_limited` (502): The ticketing system limits our calls; try again later. - `psa_unavailable` (502): The ticketing system does not answer; try again. - `runner_auth_failed` (502): The runner refuses the API key. - `runner_error` (502): The runner failed or does not answer. */
export type ErrorCode = ('email_complaint' | 'flow_empty' | 'flow_invalid' | 'invalid_targets' | 'invite_code_invalid' | 'invite_code_required' | 'invite_email_mismatch' | 'managed_by_flow' | 'markdown_invalid' | 'mfa_code_invalid' | 'no_password' | 'no_script' | 'no_target_list' | 'not_own_team' | 'not_published' | 'oauth_email_missing' | 'oauth_email_unverified' | 'oauth_refused' | 'oauth_state_invalid' | 'passkey_invalid' | 'platform_flow' | 'token_invalid_or_expired' | 'unknown_category' | 'unsupported_version' | 'wrong_flow_type' | 'wrong_password' | 'mfa_token_invalid' | 'refresh_token_reused' | 'user_deactivated' | 'account_admin_required' | 'address_not_allowed' | 'closed_to_keys' | 'email_not_verified' | 'feature_disabled' | 'insufficient_scope' | 'kb_quota_exceeded' | 'mfa_setup_required' | 'password_change_required' | 'step_up_required' | 'subscription_lapsed' | 'invite_invalid_or_expired_or_revoked' | 'link_ended' | 'account_not_empty' | 'approval_required' | 'already_claimed' | 'already_committed' | 'already_decided' | 'already_has_ticket' | 'already_member' | 'already_pending' | 'already_pushed' | 'already_subscribed' | 'already_started' | 'email_taken' | 'idempotency_key_in_use' | 'in_use' | 'invite_closed' | 'identity_taken' | 'last_admin' | 'last_sign_in_method' | 'last_super_admin' | 'limit_reached' | 'mfa_already_enabled' | 'mfa_not_enabled' | 'name_taken' | 'no_approver' | 'no_decision' | 'no_draft' | 'no_ticket' | 'not_converted' | 'not_failed' | 'not_on_trial' | 'onboarding_step_passed' | 'provider_id_taken' | 'provider_linked' | 'psa_member_not_mapped' | 'psa_not_connected' | 'runner_not_connected' | 'schedule_busy' | 'seat_limit_reached' | 'session_limit_reached' | 'stale_version' | 'step_not_current' | 'subflow_running' | 'subflow_unavailable' | 'target_gone' | 'unsettled_items' | 'wrong_session_type' | 'wrong_state' | 'websocket_unavailable' | 'ai_budget_exhausted' | 'ai_quota_exceeded' | 'sign_in_locked' | 'masking_failed' | 'ai_provider_error' | 'ai_not_configured' | 'mail_not_configured' | 'oauth_provider_error' | 'psa_auth_failed' | 'psa_error' | 'psa_rate_limited' | 'psa_unavailable' | 'runner_auth_failed' | 'runner_error')
export type EscalationAnalyticsResponse = {
period: AnalyticsPeriod
/** Average from the claim to the first action; null if nothing can be measured. */
avg_seconds: (number | null)
/** Median from the claim to the first action; null if nothing can be measured. */
median_seconds: (number | null)
/** 95th percentile from the claim to the first action; null if nothing can be measured. */
p95_seconds: (number | null)
/** Escalated handoffs that were claimed in the period. */
n_handoffs_claimed: number
/** Of those, the handoffs on which the claimant has acted. */
n_handoffs_with_action: number
/** Average from the escalation to its claim; null if none was claimed. */
avg_claim_seconds: (number | null)
/** Median from the escalation to its claim; null if none was claimed. */
median_claim_seconds: (number | null)
/** 95th percentile from the escalation to its claim; null if none was claimed. */
p95_claim_seconds: (number | null)
/** A description of what is measured. */
metric_definition: string
}
export type EscalationPolicyCreate = {
/** Name of the policy. */
name: string
/** The team it belongs to; null for the whole account. */
team_id?: (Id | null) | undefined
/** Whether it applies to the escalations of its team. That of the account applies to teams without a default policy. */
is_default?: boolean | undefined
/** How often the steps are taken. */
rounds?: number | undefined
/** The steps of a round, in order. */
steps: (EscalationStep)[]
}
export type EscalationPolicyResponse = {
id: Id
/** Name of the policy. */
name: string
/** The team it belongs to; null for the whole account. */
team_id: (Id | null)
/** Whether it applies to the escalations of its team. That of the account applies to teams without a default policy. */
is_default: boolean
/** How often the steps are taken. */
rounds: number
/** The steps of a round, in order. */
steps: (EscalationStep)[]
/** Increases with every save. */
version: number
/** The user who created it. */
created_by: string
created_at: Timestamp
/** When it was last saved. */
updated_at: string
}
export type EscalationPolicyUpdate = {
/** Name of the policy. */
name?: string | undefined
/** The team it belongs to; null for the whole account. */
team_id?: (Id | null) | undefined
/** Whether it applies to the escalations of its team. That of the account applies to teams without a default policy. */
is_default?: boolean | undefined
/** How often the steps are taken. */
rounds?: number | undefined
/** The steps of a round, in order. */
steps?: (EscalationStep)[] | undefined
expected_version?: ExpectedVersion | undefined
}
export type EscalationQueueItem = {
/** Id of the escalated session. */
session_id: string
/** Id of its handoff; null for a session that was escalated without one. */
handoff_id: (Id | null)
/** The title of the session. */
title: string
/** Name of the engineer who escalated it. */
engineer_name: (string | null)
/** Id of the linked ticket. */
psa_ticket_id: (string | null)
/** The client’s company. */
client_name: (string | null)
urgency: Urgency
/** The colleague whom the escalation targets. Any engineer may claim it. */
target_user_id: (Id | null)
/** The colleague who has claimed the escalation but not picked it up yet. */
claimed_by: (Id | null)
/** When it was escalated; the last change of a session without a handoff. */
created_at: string
}
export type EscalationReminder = {
id: Id
/** Id of the handoff with which the session was escalated. */
handoff_id: string
/** The round of the escalation policy, from 1. */
round: number
/** The step of the round, from 1. */
step: number
state: ReminderState
/** When a waiting step is due; null for the others. */
due_at: (Timestamp | null)
/** When the step was taken; null before, and if it was stopped or failed. */
taken_at: (Timestamp | null)
}
export type EscalationStep = {
/** Minutes after the escalation or the previous step. */
delay_minutes: number
/** Who is notified. */
targets: (EscalationTarget)[]
}
export type EscalationTarget = {
type: EscalationTargetType
/** Id of the user, on-call schedule or notification config. */
id: string
}
/** `user`: a member. `schedule`: who is on call by it at that time. `channel`: a notification config, such as a chat channel. */
export type EscalationTargetType = ('user' | 'schedule' | 'channel')
export type EventKey = {
key: NotificationEventKey
/** When the event happens, and who is notified in the app. */
description: string
}
export type EvidenceRequirement = {
/** Unique in the step. An answer provides the evidence by this key. */
key: string
type: EvidenceType
/** What to provide. */
label: string
/** The options of a `select`. */
options?: ((string)[] | null) | undefined
}
/** `note`: the note of the answer. `screenshot`: an upload. Any other type: a value. `select`: one of `options`. */
export type EvidenceType = ('note' | 'screenshot' | 'text' | 'number' | 'boolean' | 'select')
/** Save only if this is the current version; otherwise 409 `stale_version`. */
export type ExpectedVersion = number
export type ExportFormat = ('markdown' | 'text' | 'html' | 'ticket-note' | 'pdf')
/** Who added it. */
export type FactSource = ('user' | 'ai')
/** What to do if the step fails. It cannot have fallback steps itself. */
export type FallbackStep = {
/** Unique in the flow. */
id: string
/** The first line the technician reads. `{{key}}` is filled from the intake form. Required to publish. */
title?: (string | null) | undefined
/** Markdown. `{{key}}` is filled from the intake form. */
description?: (string | null) | undefined
}
export type FallbackStepRecord = {
/** The step that failed. */
step_id: string
/** The fallback step that was used. */
fallback_step_id: string
outcome: StepOutcome
/** Note of the technician. */
note: (string | null)
/** When it was recorded. */
decided_at: string
}
export type FeatureFlagResponse = {
/** The key of the feature. */
key: string
/** What the feature does. */
description: string
/** For each plan, whether the feature is on by default. */
plans: { [key: string]: boolean }
/** How many accounts override the default. */
override_count: number
/** The newest 100 overrides. */
overrides: ({
/** The account. */
account_id: string
/** The name of the account. */
account_name: string
/** Whether the feature is on for this account. */
enabled: boolean
})[]
}
export type FeatureFlagsResponse = {
/** Every feature. The account's override takes precedence over its plan; without either, the feature is off. Those that are AI alone are off in a service without an AI provider. */
flags: {
/** Whether the feature is on. */
public_gallery: boolean
/** Whether the feature is on. */
ai_sessions: boolean
/** Whether the feature is on. */
ai_authoring: boolean
/** Whether the feature is on. */
script_builder: boolean
/** Whether the feature is on. */
network_diagrams: boolean
/** Whether the feature is on. */
kb_import: boolean
/** Whether the feature is on. */
maintenance_schedules: boolean
}
}
export type FeatureOverrideResponse = {
/** The account. */
account_id: string
/** The name of the account. */
account_name: string
/** The key of the feature. */
key: string
/** The override of the account; null if the plan decides. */
override: (boolean | null)
/** Whether the account has the feature now. */
enabled: boolean
}
export type FeatureOverrideUpdate = {
/** The override of the account; null deletes it, so that the plan decides. */
enabled?: (boolean | null) | undefined
}
export type FeedbackCreate = {
/** The subject, in a few words. */
subject: string
/** The feedback. */
message: string
/** The page that the user was on. */
page_url?: string | undefined
}
export type FeedbackResponse = {
id: Id
/** The subject. */
subject: string
/** The feedback. */
message: string
/** The page that the user was on. */
page_url: (string | null)
created_at: Timestamp
}
export type FieldChange = {
/** Name of the field. */
field: string
/** The value in the older version; null for a long text and for a field that is not set. */
before: unknown
/** The value in the newer version; null for a long text and for a field that is not set. */
after: unknown
/** The parts of a long text; null for any other value. */
parts: ((TextPart)[] | null)
}
export type FixDecision = {
decision: FixScriptDecision
/** Used instead of the script of the fix, which stays unchanged. */
edited_script?: string | undefined
/** Values of the script’s parameters, by name. */
parameters?: { [key: string]: JsonValue } | undefined
}
export type FixDecisionResponse = {
/** The script with the values filled in. For a template, placeholders without a value stay. */
script: string
/** Id of the new or already pending draft; only for `draft_template`. */
draft_template_id?: string | undefined
/** Path of the script builder in the frontend; only for `build_template`. */
redirect_path?: string | undefined
}
/** How it is applied. `manual`: by hand. `script`: by a drafted script. `template`: by a template of the library. */
export type FixKind = ('manual' | 'script' | 'template')
export type FixOutcome = {
outcome: FixOutcomeValue
/** What helped (required for a partial outcome) or why it failed. Not stored for other outcomes. */
notes?: string | undefined
/** What the fix waits for (required for a pending outcome). Not stored for other outcomes. */
reason?: string | undefined
}
export type FixOutcomeEntry = {
/** Id of the fix. */
fix_id: string
outcome: FixOutcomeValue
/** What helped (required for a partial outcome) or why it failed. Not stored for other outcomes. */
notes?: string | undefined
/** What the fix waits for (required for a pending outcome). Not stored for other outcomes. */
reason?: string | undefined
}
/** `applied_partial`: it helped in part. `applied_pending`: the result is not known yet. The other outcomes, `applied_success`, `applied_failed` and `dismissed`, are final. */
export type FixOutcomeValue = ('applied_success' | 'applied_failed' | 'applied_partial' | 'applied_pending' | 'dismissed')
export type FixScript = {
/** The script. `{{ name }}` and `{{ name | filter }}` are placeholders for its parameters. */
script: string
/** The parameters of the script. The current ones stay when left out. */
parameters?: ScriptParameters | undefined
/** The language of the script. The current one stays when left out; PowerShell if there is none. */
language?: ScriptLanguage | undefined
}
/** `one_off`: run the script once. `draft_template`: propose it as a template. `build_template`: build a template from it in the script builder. */
export type FixScriptDecision = ('one_off' | 'draft_template' | 'build_template')
/** The status of the fix. `applied_success`, `applied_failed` and `dismissed` are final. */
export type FixStatus = ('proposed' | 'applied_success' | 'applied_failed' | 'applied_partial' | 'applied_pending' | 'dismissed')
export type FlowAnalytics = {
/** The flow. */
tree_id: string
/** The name of the flow when it was last used. */
name: string
/** Sessions that were started with the flow in the period. */
sessions: number
/** The share of these sessions that is completed by now. */
completion_rate: (number | null)
/** Median time from start to completion of these sessions; null without any. */
median_minutes: (number | null)
/** Number of "helpful" votes on steps of these sessions. */
thumbs_up: number
/** Number of "not helpful" votes on steps of these sessions. */
thumbs_down: number
}
export type FlowAttachment = {
/** The title of the link. */
title: string
/** The address of the link. */
url: string
}
export type FlowConversation = {
id: Id
/** The purpose of the flow. */
goal: string
tree_type: FlowType
/** Tags that describe the environment. The model takes them into account. */
environment_tags: (string)[]
/** All messages, in order. */
messages: ({
/** The author of the message. */
role: MessageRole
/** The text, as markdown. */
content: string
created_at: Timestamp
})[]
/** The current draft; null while there is none. */
draft: (FlowDraft | null)
/** Problems that prevent publishing the draft. */
problems: (FlowProblem)[]
created_at: Timestamp
/** When the conversation is deleted: 24 hours after its start. */
expires_at: string
}
export type FlowConversationCommit = {
/** Name of the flow; the name of the draft when left out. */
name?: string | undefined
}
export type FlowConversationListItem = {
id: Id
/** The member who started it. */
user_id: string
/** The purpose of the flow, at most 300 characters of it. */
goal: string
tree_type: FlowType
/** How often the model has answered. */
turns: number
created_at: Timestamp
/** When the conversation will be deleted. */
expires_at: string
}
export type FlowConversationMessage = {
/** What to change or add. */
message: string
}
export type FlowConversationStart = {
/** The purpose of the flow, as a request, a procedure or notes. */
goal: string
tree_type: FlowType
/** Tags that describe the environment. The model takes them into account. */
environment_tags?: (string)[] | undefined
}
export type FlowConversion = {
/** Id of the flow of this account to update. Without it, a new flow is proposed. */
target_tree_id?: string | undefined
}
/** A flow that is not saved yet. */
export type FlowDraft = {
/** Name of the flow. */
name: string
/** Purpose of the flow, as markdown. */
description: string
tree_type: FlowType
tree_structure: TreeStructure
intake_form: IntakeForm
}
/** The head of the flow. A single proposal contains the whole flow. */
export type FlowDraftHead = {
/** Name of the flow. */
name: string
/** Purpose of the flow, as markdown. */
description: string
tree_type: FlowType
}
export type FlowEnvelope = {
/** Version of this format. Only `1.0` is supported. */
rfflow_version: string
/** When the flow was exported. */
exported_at?: (string | null) | undefined
/** The program that exported the flow. */
generator?: (string | null) | undefined
/** The flow itself. */
flow: {
/** The name of the flow. */
name: string
tree_type: FlowType
/** The name of its category. */
category?: (string | null) | undefined
/** Free tags. */
tags?: ((string)[] | null) | undefined
/** What the flow is for. */
description?: (string | null) | undefined
/** The root node of a troubleshooting flow, or the steps of another flow. Null for a draft without steps. */
tree_structure: (TreeStructure | null)
/** The questions asked before a session starts. */
intake_form?: (IntakeForm | null) | undefined
/** Its version in the service that exported it. */
version?: (number | null) | undefined
}
}
export type FlowFinding = {
reason: FlowFindingReason
/** A sentence for the author. */
message: string
/** The step; null if the whole flow is concerned. */
step_id: (string | null)
/** The option of a `dead_option`. */
option_id: (string | null)
/** The link of a `broken_link`. */
url: (string | null)
/** The numbers behind the finding, such as `answers` and `skipped`. */
metrics: { [key: string]: number }
}
/** What should be looked at. */
export type FlowFindingReason = ('subflow_unavailable' | 'broken_link' | 'stale_owner' | 'low_success' | 'unreachable_step' | 'never_reached' | 'dead_option' | 'skipped_step' | 'not_enough_sessions')
export type FlowHealth = {
/** The flow. */
tree_id: string
/** Its name. */
name: string
/** Its current version. */
version: number
/** Sessions of the last 90 days with the steps and options of this version. */
sessions: number
/** Sessions of the last 90 days that were completed or abandoned, with any version. */
ended: number
/** Those of them that were resolved. */
resolved: number
/** When the links were last checked; null if they were never checked, or there are none. */
links_checked_at: (Timestamp | null)
/** The most urgent first. */
findings: (FlowFinding)[]
}
export type FlowImportResponse = {
/** The new flow. */
tree_id: string
/** Name of the flow. */
name: string
/** An imported flow is always a draft. */
status: 'draft'
/** Whether the category of the flow was created. */
category_created: boolean
/** The tags that no flow of the account that I can see had before. */
tags_created: (string)[]
/** Problems that prevent publishing, and other warnings. */
warnings: (FlowProblem)[]
}
export type FlowNode = {
/** Unique in the flow. */
id: string
type: FlowNodeType
/** The first line the technician reads. `{{key}}` is filled from the intake form. Required to publish. */
title?: (string | null) | undefined
/** Markdown. `{{key}}` is filled from the intake form. */
description?: (string | null) | undefined
/** The options of a decision. Each leads to a direct child. */
options?: ((FlowOption)[] | null) | undefined
/** The only direct child of an action. */
next_node_id?: (string | null) | undefined
/** The nodes below this one. */
children?: ((FlowNode)[] | null) | undefined
/** Links to helpful documents. */
attachments?: ((FlowAttachment)[] | null) | undefined
/** Estimated duration in minutes. */
estimated_minutes?: (number | null) | undefined
/** A script template to run at this point. */
script_template_id?: (string | null) | undefined
/** A flow to run at this point. */
subflow?: (Subflow | null) | undefined
/** Who can find this step in the step library after the flow is published. The default is `team`. */
library_visibility?: (LibraryVisibility | null) | undefined
/** What every answer to this step must provide, also `skipped` and `failed`. */
evidence?: ((EvidenceRequirement)[] | null) | undefined
/** Who must approve the step before its answer counts. */
approval?: (ApprovalRequirement | null) | undefined
/** When the user of the session is reminded of the step. */
timer?: (StepTimer | null) | undefined
/** Deprecated: the title of an action. Used only if `title` is empty. */
action?: (string | null) | undefined
/** Deprecated: the title of a solution. Used only if `title` is empty. */
solution?: (string | null) | undefined
}
/** `decision`: a question with options. `action`: something to do before the next node. `solution`: the end of a branch. */
export type FlowNodeType = ('decision' | 'action' | 'solution')
export type FlowOffer = {
/** That no flow fits, and the offer, in English. */
text: string
/** The operation that drafts a flow from the case once it is resolved. */
operation: 'authoring.proposals.create'
/** Its path for this case. */
path: string
}
export type FlowOption = {
/** Unique in its decision. Generated if left out. */
id?: string | undefined
/** The text the technician chooses. */
label: string
/** The direct child that this option leads to. */
next_node_id?: (string | null) | undefined
}
export type FlowPatchOperation = {
op: PatchOperationName
/** The place to change, as a JSON pointer from the root of the structure. */
path: string
/** The new value of an add or replace. */
value?: unknown | undefined
}
export type FlowProblem = {
/** The node or step concerned; null when the whole flow is. */
node_id: (string | null)
/** Path of the value, such as `tree_structure.children[0].title`. */
path: string
/** What is wrong. */
message: string
}
/** The decided proposal. */
export type FlowProposal = {
id: Id
source: ProposalSource
/** Id of the session, which may have been deleted since. */
source_id: string
action: ProposalAction
/** Id of the flow to update; null for a new flow. */
target_tree_id: (Id | null)
status: ProposalStatus
/** The user who proposed it. */
submitted_by: string
/** The user who approved or rejected it. */
decided_by: (Id | null)
/** When it was decided. */
decided_at: (Timestamp | null)
/** Why it was rejected; null otherwise. */
reason: (string | null)
created_at: Timestamp
proposed_flow: FlowDraft
}
export type FlowProposalApproval = {
proposal: FlowProposal
/** The flow that was created or updated. */
tree_id: string
}
export type FlowProposalListItem = {
id: Id
source: ProposalSource
/** Id of the session, which may have been deleted since. */
source_id: string
action: ProposalAction
/** Id of the flow to update; null for a new flow. */
target_tree_id: (Id | null)
status: ProposalStatus
/** The user who proposed it. */
submitted_by: string
/** The user who approved or rejected it. */
decided_by: (Id | null)
/** When it was decided. */
decided_at: (Timestamp | null)
/** Why it was rejected; null otherwise. */
reason: (string | null)
created_at: Timestamp
proposed_flow: FlowDraftHead
}
export type FlowProposalReject = {
/** The reason for the submitter. */
reason: string
}
export type FlowSortBy = ('usage_count' | 'updated_at' | 'created_at' | 'name' | 'name_desc' | 'version')
/** `draft`: not ready to be run. `published`: can be run. */
export type FlowStatus = ('draft' | 'published')
export type FlowStep = {
/** Unique in the flow. */
id: string
type: FlowStepType
/** The first line the technician reads. `{{key}}` is filled from the intake form. Required to publish. */
title?: (string | null) | undefined
/** Markdown. `{{key}}` is filled from the intake form. */
description?: (string | null) | undefined
/** A label that groups steps. Steps with the same label are shown together. */
group_label?: (string | null) | undefined
/** Who can find this step in the step library after the flow is published. The default is `team`. */
library_visibility?: (LibraryVisibility | null) | undefined
/** Steps to try, in this order, if the step fails. */
fallback_steps?: ((FallbackStep)[] | null) | undefined
/** A script template to run at this point. */
script_template_id?: (string | null) | undefined
/** A flow to run at this point. */
subflow?: (Subflow | null) | undefined
/** Estimated duration in minutes. */
estimated_minutes?: (number | null) | undefined
/** Links to helpful documents. */
attachments?: ((FlowAttachment)[] | null) | undefined
/** What every answer to this step must provide, also `skipped` and `failed`. */
evidence?: ((EvidenceRequirement)[] | null) | undefined
/** Who must approve the step before its answer counts. */
approval?: (ApprovalRequirement | null) | undefined
/** When the user of the session is reminded of the step. */
timer?: (StepTimer | null) | undefined
}
/** `procedure_step`: a step to do. `section_header`: a heading for the steps after it. `procedure_end`: the end, always the last step. */
export type FlowStepType = ('procedure_step' | 'section_header' | 'procedure_end')
export type FlowSteps = {
/** The steps in order. The last one is the `procedure_end`. */
steps: (FlowStep)[]
}
/** `troubleshooting`: a decision tree. `procedural`: a list of steps. `maintenance`: a list of steps that is run on many targets. */
export type FlowType = ('troubleshooting' | 'procedural' | 'maintenance')
/** Who can see the flow. `private`: its author. `team`: also its team and account admins. `account`: the account. `public`: everyone, through the gallery. */
export type FlowVisibility = ('private' | 'team' | 'account' | 'public')
export type ForeignFlow = {
/** The whole file as the other tool exported it. YAML may have about 240,000 characters. */
content: string
}
export type ForgotPasswordRequest = {
/** The e-mail address of the user. */
email: string
}
export type ForkCreate = {
/** Name of the fork; the name of the flow by default. */
name?: string | undefined
/** Why the flow is forked. */
reason?: string | undefined
}
export type GalleryCategory = {
/** Name of the category. */
category: string
/** Number of its items. */
count: number
}
export type GalleryFlow = (GalleryItem & {
intake_form: IntakeForm
/** The first three levels of a tree, in which `truncated` marks nodes with omitted children; or all steps of a list. */
preview: (GalleryPreviewSteps | GalleryPreviewNode)
})
export type GalleryFlowState = {
/** The flow. */
tree_id: string
/** The account that owns it. */
account_id: string
/** The name of the flow. */
name: string
/** Whether the gallery shows the flow before flows that are not featured. */
is_featured: boolean
/** Position among equally featured entries; smaller values first. */
sort_order: number
/** Whether staff hide the flow from the gallery. */
is_hidden: boolean
/** Whether the gallery shows the flow: it is public, published and not hidden. */
is_shown: boolean
}
export type GalleryFlowUpdate = {
/** Whether the gallery shows the flow before flows that are not featured. */
is_featured?: boolean | undefined
/** Position among equally featured entries; smaller values first. */
sort_order?: number | undefined
/** Whether staff hide the flow from the gallery, even if its account has made it public. */
is_hidden?: boolean | undefined
}
export type GalleryItem = {
id: Id
type: GalleryItemType
/** Identifies a script in its URL; null for a flow, whose URL contains its id. */
slug: (string | null)
/** The name of the item. */
name: string
/** The purpose of the item. */
description: string
/** Name of the category, if any. */
category: (string | null)
/** Search keywords. */
tags: (string)[]
/** Number of times it was used. */
usage_count: number
/** Whether staff featured the item. */
is_featured: boolean
/** When the flow was first published, or when the script was created. */
published_at: (Timestamp | null)
}
/** `script`: a script. Every other value: a flow of this type. */
export type GalleryItemType = ('troubleshooting' | 'procedural' | 'maintenance' | 'script')
export type GalleryPage = {
/** The items of this page. */
items: (GalleryItem)[]
/** Number of items on all pages. */
total: number
/** Number of this page. */
page: number
/** How many items a page has. */
page_size: number
}
export type GalleryPreviewNode = {
/** Unique in the flow. */
id: string
/** `decision`, `action` or `solution`. */
type: string
/** Shown to the technician as the heading. */
title: string
/** Markdown. */
description: string
/** The choices of a decision. */
options?: ({
/** Unique in its decision. */
id: string
/** The text of the choice. */
label: string
/** Id of the node that follows. */
next_node_id?: (string | null) | undefined
})[] | undefined
/** The child nodes, down to the third level. */
children?: (GalleryPreviewNode)[] | undefined
/** True if the node has children that the preview omits. */
truncated?: true | undefined
}
export type GalleryPreviewSteps = {
/** The steps in the order of the flow. */
steps: ({
/** Unique in the flow. */
id: string
/** `procedure_step`, `section_header` or `procedure_end`. */
type: string
/** What to do. */
title: string
/** Markdown. */
description: string
/** Label of the group of steps that it belongs to. */
group_label?: string | undefined
/** Steps to try when the step fails. */
fallback_steps?: ({
/** Unique in the flow. */
id: string
/** What to do instead. */
title: string
/** Markdown. */
description: string
})[] | undefined
})[]
}
export type GalleryScript = (GalleryItem & {
language: ScriptLanguage
/** Whether the script needs administrator rights. */
requires_elevation: boolean
parameters_schema: ScriptParameters
})
export type GalleryScriptState = {
/** The script template. */
template_id: string
/** The account that owns it. */
account_id: string
/** The name of the script template. */
name: string
/** Identifies the script in the gallery. */
slug: string
/** Whether the gallery shows the script. */
is_featured: boolean
/** Position among featured entries; smaller first. */
sort_order: number
}
export type GalleryScriptUpdate = {
/** Whether the gallery shows the script. Its body is never shown. */
is_featured?: boolean | undefined
/** Position among featured entries; smaller first. */
sort_order?: number | undefined
}
export type GallerySort = ('featured' | 'popular' | 'newest' | 'name')
export type GuidedReply = {
step: GuidedStep
/** Fields of the triage header that the model filled. The model never overwrites a value. */
triage_update?: {
/** The client’s company. */
client_name?: string | undefined
/** The affected machine or device. */
asset_name?: string | undefined
/** The category of the problem. */
issue_category?: string | undefined
/** The most likely cause. */
triage_hypothesis?: string | undefined
/** All evidence, when the model added some. */
evidence_items?: ({
id: Id
/** What was observed. */
text: string
source: FactSource
created_at: Timestamp
})[] | undefined
} | undefined
suggested_fix?: SuggestedFix | undefined
}
export type GuidedResponse = {
/** The response to the current step. Leave it out when there is no current step, to get the next one. */
response?: string | undefined
/** The step that the response belongs to. Returns 409 with the current step if another step is current. */
step_id?: string | undefined
}
/** The next step. */
export type GuidedStep = {
/** Id of the step. */
step_id: string
kind: GuidedStepKind
/** What to find out or do, as markdown. */
text: string
/** Suggested answers to a question. Other answers are allowed. */
options: (string)[]
/** Why this step comes next. */
rationale: (string | null)
/** The flows, articles and resolved sessions that the model has used, of those in its prompt. All of them, if it gave no answer. */
citations: (Citation)[]
/** The flows, articles and resolved sessions that fitted the case, best first. Empty if none did. */
sources: (Citation)[]
/** The offer to draft a flow from the case; null if a published flow fitted it. */
flow_offer: (FlowOffer | null)
lookups: Lookups
/** Why the model gave no answer; null if it did. `declined`: it refused. `unusable`: its answer was broken twice. `truncated`: it was too long twice. The text says so, and the citations are sources that may fit. */
failure: (AnswerFailure | null)
/** The answer; null while it is the current step. */
response: (string | null)
created_at: Timestamp
}
/** `question`: a question to answer. `action`: an action to do. `fix`: a fix to apply. */
export type GuidedStepKind = ('question' | 'action' | 'fix')
export type Handoff = (HandoffDraft & {
id: Id
/** Colleagues who view or edit it now. Returned only by changes, and only if there are any. */
also_here?: (PresentColleague)[] | undefined
/** Id of the AI session. */
session_id: string
/** `park`: parked. `escalate`: handed over to a colleague. */
intent: HandoffIntent
/** The engineer who handed the session over. */
created_by: string
/** The colleague it targets. Any engineer may claim it. */
target_user_id: (Id | null)
/** The colleague who claimed it. */
claimed_by: (Id | null)
/** When it was claimed. */
claimed_at: (Timestamp | null)
/** The model’s assessment, as markdown. */
ai_assessment: (string | null)
/** The state of the assessment; null for a parked session, which gets none. */
assessment_status: (AssessmentStatus | null)
/** When the claimant first worked on the session. */
first_action_at: (Timestamp | null)
created_at: Timestamp
})
/** Its JSON. */
export type HandoffAssessmentReadyEvent = {
/** Id of the handoff. */
handoff_id: string
/** Id of the escalated session. */
session_id: string
assessment_status: AssessmentResult
}
/** Its JSON. */
export type HandoffClaimedEvent = {
/** Id of the escalated session. */
session_id: string
/** The colleague who has it now. */
claimed_by: string
/** Name of this colleague. */
claimant_name: string
}
/** Why its handoff is closed. `resumed`: its engineer goes on with a parked session. */
export type HandoffCloseReason = ('picked_up' | 'resolved' | 'abandoned' | 'resumed')
/** Its JSON. */
export type HandoffClosedEvent = {
/** Id of the session, which no longer waits in the queue or is no longer parked. */
session_id: string
reason: HandoffCloseReason
}
export type HandoffCreate = {
/** `park`: keep the session for myself. `escalate`: hand it over to a colleague. */
intent: HandoffIntent
/** The colleague to notify. Any engineer may claim the handoff. */
target_user_id?: string | undefined
/** Why the session is handed over. */
reason?: string | undefined
/** The problem and its current state. */
summary?: string | undefined
/** What was tried, with the results. */
what_was_tried?: string | undefined
/** What to do next. */
next_steps?: string | undefined
urgency?: Urgency | undefined
}
/** Its JSON. */
export type HandoffCreatedEvent = (HandoffDraft & {
/** Id of the handoff. */
handoff_id: string
/** Where the ticketing system shows the ticket. */
ticket_url?: (string | null) | undefined
/** The suggested fixes with their outcomes, each in a line. */
fixes?: string | undefined
/** What was observed, each in a line. */
known?: string | undefined
/** The start of the assessment, in the alert about it. */
assessment?: string | undefined
/** Id of the escalated session. */
session_id: string
/** The title of the session. */
title: string
/** Name of the engineer who escalated it. */
engineer_name: string
/** The colleague whom the escalation targets. */
target_user_id: (Id | null)
/** Id of the linked ticket. */
psa_ticket_id: (string | null)
/** The client’s company. */
client_name: (string | null)
created_at: Timestamp
})
/** Its JSON. */
export type HandoffDraft = {
/** The problem and its current state. */
summary: string
/** What was tried, with the results. */
what_was_tried: string
/** What to do next. */
next_steps: string
/** Why the session is handed over. */
reason: string
urgency: Urgency
}
export type HandoffEscalate = {
/** The colleague to notify. Any engineer may claim the handoff. */
target_user_id?: string | undefined
/** Why the session is handed over. */
reason?: string | undefined
/** The problem and its current state. */
summary?: string | undefined
/** What was tried, with the results. */
what_was_tried?: string | undefined
/** What to do next. */
next_steps?: string | undefined
urgency?: Urgency | undefined
}
export type HandoffIntent = ('park' | 'escalate')
export type HandoverCase = {
/** Id of the AI session. */
session_id: string
/** The title of the session. */
title: string
status: OpenAiSessionStatus
urgency: Urgency
/** The client’s company. */
client_name: (string | null)
/** Id of the linked ticket. */
psa_ticket_id: (string | null)
/** Who escalated it or else works on it. */
engineer_name: (string | null)
/** Who has claimed it. */
claimant_name: (string | null)
/** The next steps of its escalation; null if I may not read the session. */
next_steps: (string | null)
created_at: Timestamp
/** When it was escalated. */
escalated_at: (Timestamp | null)
/** When it was claimed. */
claimed_at: (Timestamp | null)
/** The script runs since the begin of the shift. */
script_runs: number
}
export type HandoverDuty = {
/** The on-call schedule. */
schedule_id: string
/** Its name. */
schedule_name: string
/** Who is on call now; null for nobody. */
user: ({
id: Id
/** The name of the user. */
name: string
} | null)
/** Until when. */
until: (Timestamp | null)
/** Who is on call next, within two days. */
next_user: ({
id: Id
/** The name of the user. */
name: string
} | null)
/** From when. */
next_from: (Timestamp | null)
}
export type HandoverPromise = {
kind: HandoverPromiseKind
/** The begin of the note, the fix with what it waits for, or the flow. */
text: string
/** The session, of either kind; null for a note that belongs to none. */
session_id: (Id | null)
/** Whether it is an AI session. */
is_ai: boolean
/** Id of the ticket. */
psa_ticket_id: (string | null)
/** When the ticket got the note; null for the others. */
told_at: (Timestamp | null)
/** Until when; only timers have such a time. */
due_at: (Timestamp | null)
}
/** `client_note`: a note that the client reads. `pending_fix`: a fix that waits for its result. `timer`: a step that continues at a time. */
export type HandoverPromiseKind = ('client_note' | 'pending_fix' | 'timer')
/** UUIDv7. */
export type Id = string
/** The identity provider. */
export type IdentityProvider = ('google' | 'microsoft')
export type IntakeField = {
/** The name of the variable with the answer. Texts use it as `{{key}}`. */
key: string
/** The question. */
label: string
type: IntakeFieldType
/** Whether a session cannot start without an answer. */
required: boolean
/** The options of a `select` or `multiselect`. */
options?: ((string)[] | null) | undefined
/** The answer if the user gives none. */
default?: ((string | number | boolean | (string)[]) | null) | undefined
/** A hint shown below the question. */
help_text?: (string | null) | undefined
/** The minimum number, or the minimum length of a text. */
min?: (number | null) | undefined
/** The maximum number, or the maximum length of a text. */
max?: (number | null) | undefined
/** A regular expression that the whole answer must match. */
pattern?: (string | null) | undefined
/** Whether the answer is a secret: stored encrypted, filled into scripts, and never returned, exported or sent to a model. */
secret?: (boolean | null) | undefined
}
/** The type of the answer. */
export type IntakeFieldType = ('text' | 'textarea' | 'number' | 'select' | 'multiselect' | 'boolean' | 'date' | 'email' | 'ip' | 'hostname')
/** The questions asked before a session starts. The answers become its variables. */
export type IntakeForm = (IntakeField)[]
export type InviteCreate = {
/** The e-mail address to invite. */
email: string
role: Role
/** The team to join; by default the first team of the account. */
team_id?: string | undefined
}
export type InviteLookupResponse = {
/** The name of the account that invites. */
account_name: string
/** The name of the user who invites. */
inviter_name: (string | null)
/** The invited e-mail address. */
invited_email: string
role: Role
}
export type InviteResponse = {
id: Id
/** The invited e-mail address. */
email: string
role: Role
/** The team to join; null for the first team of the account. */
team_id: (Id | null)
status: InviteStatus
/** The user who created the invite. */
invited_by: (Id | null)
/** The name of that user. */
inviter_name: (string | null)
/** 7 days after the last e-mail. */
expires_at: string
/** When the invite was accepted. */
accepted_at: (Timestamp | null)
created_at: Timestamp
}
/** Only an open invite can be accepted. An open invite takes a seat. */
export type InviteStatus = ('open' | 'accepted' | 'revoked' | 'expired')
export type ItemChange = {
/** The kind of item: `steps` and `questions` of a flow, `nodes` and `edges` of a diagram, `parameters` of a script. */
list: string
/** Identifies the item in its list, in both versions. */
id: string
/** The title or name of the item, in the newer version if it is there. */
label: string
change: ItemChangeKind
/** Whether it has another parent, or another place among the items that both versions have. */
moved: boolean
/** Null for an added item. */
position_before: (ItemPosition | null)
/** Null for a removed item. */
position_after: (ItemPosition | null)
/** The changed fields. Of an added or removed item, all fields that are set. */
fields: (FieldChange)[]
}
/** Whether the item is only in the newer, only in the older or in both versions. */
export type ItemChangeKind = ('added' | 'removed' | 'changed')
export type ItemPosition = {
/** The item above; null at the top. */
parent_id: (string | null)
/** Position among the items with this parent, starting at 0. */
index: number
}
/** What the job does: the export or import of the account, a batch of articles, or an AI task. */
export type JobKind = ('export' | 'import' | 'kb_batch' | 'ai_task')
/** Its JSON. */
export type JobProgressedEvent = {
kind: JobKind
/** Id of the export, import, batch or task. */
id: string
/** The user who started it. */
user_id: (Id | null)
/** The phase in its `progress`; `finished` when nothing follows. */
phase: string
/** What is done. */
done: number
/** What there is to do. */
total: number
}
/** The input of this step: an object with any keys, at most 16 KB. Ignored when the step is skipped. */
export type JsonValue = (string | number | boolean | null | (JsonValue)[] | { [key: string]: JsonValue })
export type KbBatch = (KbBatchListItem & {
/** What became of each article so far, at most 500. */
articles: (KbBatchArticle)[]
})
export type KbBatchArticle = {
/** Name of the file in the archive, address of the page, or name of the article after that of its company or folder. */
name: string
/** The knowledge import; null if the article was refused, or the import was deleted. */
import_id: (Id | null)
/** Why the article was refused, as a sentence; null if it was imported. */
problem: (string | null)
}
export type KbBatchCreate = (KbPageBatchCreate | KbHuduBatchCreate | KbItGlueBatchCreate)
/** Its JSON. */
export type KbBatchFinishedEvent = {
/** Id of the batch of articles. */
batch_id: string
/** The user who started it. */
user_id: string
status: KbBatchResult
}
export type KbBatchListItem = {
id: Id
source: KbBatchSource
/** Address of the page or of the vendor; null for an archive. */
address: (string | null)
status: KbBatchStatus
/** How far the job is. The unit is articles. */
progress: {
phase: KbBatchPhase
/** What is done. It never decreases. */
done: number
/** What there is to do. */
total: number
}
/** Why the batch has failed, or which articles it leaves out, as a sentence; null otherwise. */
problem: (string | null)
/** The user who started it. */
created_by: string
created_at: Timestamp
/** When it ended. */
finished_at: (Timestamp | null)
}
/** `listing`: the articles of the vendor are being counted. `importing`: they are being imported. `finished`: nothing follows. */
export type KbBatchPhase = ('waiting' | 'listing' | 'importing' | 'finished')
/** How it ended. */
export type KbBatchResult = ('succeeded' | 'failed')
/** Where the articles come from. */
export type KbBatchSource = ('zip' | 'url' | 'hudu' | 'it_glue')
/** `succeeded`: each article is imported or refused. `failed`, `canceled`: the imported articles stay. */
export type KbBatchStatus = ('queued' | 'running' | 'succeeded' | 'failed' | 'canceled')
export type KbHuduBatchCreate = {
/** The articles of Hudu. */
source: 'hudu'
/** Address of the Hudu site. */
base_url: string
/** The key of its API. It is kept encrypted while the batch runs, deleted when it ends, and never returned. */
api_key: string
}
export type KbImportCommit = {
/** Name of the flow. */
name: string
tree_type: FlowType
/** Name of a category. It is created when the account has none with this name. */
category?: string | undefined
}
export type KbImportCreate = {
/** Title of the article. */
title: string
/** The article, or the base64-encoded bytes of a docx or PDF. At most 5 MiB after decoding, and 900,000 characters of text. */
content: string
format: ArticleFormat
}
export type KbImportListItem = {
id: Id
/** The account it belongs to. */
account_id: string
/** The team it belongs to. */
team_id: (Id | null)
/** The user who imported it. */
created_by: string
/** Title of the article. */
title: string
format: ArticleFormat
status: KbImportStatus
/** Number of nodes. */
node_count: number
/** Id of the flow that was created from the import; null before the commit. */
tree_id: (Id | null)
created_at: Timestamp
/** When it was last changed. */
updated_at: string
}
export type KbImportNode = {
id: Id
/** Title of the node. It is required for a commit. */
title: string
/** The node’s part of the article, as markdown. Empty for a section whose heading is its title. */
content: string
kind: KbNodeKind
/** Id of the parent node in the same import; null at the top level. */
parent_id: (Id | null)
/** Position in reading order, from 0. A parent comes before its children. */
position: number
}
export type KbImportNodeUpdate = {
/** Title of the node. It is required for a commit. */
title?: string | undefined
/** The node’s part of the article, as markdown. Empty for a section whose heading is its title. */
content?: string | undefined
kind?: KbNodeKind | undefined
/** Id of the parent node in the same import; null at the top level. */
parent_id?: (Id | null) | undefined
/** Position in reading order, from 0. A parent comes before its children. */
position?: number | undefined
}
export type KbImportQuota = {
/** Number of articles that this account has imported, including those deleted since. */
used: number
/** Maximum number of imports in the plan; null without a limit. */
limit: (number | null)
/** Number of imports that are left; null without a limit. */
remaining: (number | null)
}
export type KbImportResponse = (KbImportListItem & {
/** The nodes of the article in reading order, at most 100. */
nodes: (KbImportNode)[]
/** What was not imported, such as pictures, and parts that the conversion merged, because an article has at most 100 nodes. */
warnings: (string)[]
})
/** `uploaded`: not converted yet. `converted`: has nodes. `committed`: published as a flow. `failed`: the first conversion failed and can be retried. */
export type KbImportStatus = ('uploaded' | 'converted' | 'committed' | 'failed')
export type KbItGlueBatchCreate = {
/** The documents of IT Glue. */
source: 'it_glue'
/** Address of the API of the region, such as `https://api.eu.itglue.com`. */
base_url?: string | undefined
/** The key of its API. It is kept encrypted while the batch runs, deleted when it ends, and never returned. */
api_key: string
}
/** `section`: a heading. `step`: an instruction. `note`: information. `decision`: a question whose children are its answers. `solution`: an end of the flow. */
export type KbNodeKind = ('section' | 'step' | 'note' | 'decision' | 'solution')
export type KbPageBatchCreate = {
/** A page of the web. */
source: 'url'
/** Address of a page: HTML, markdown, text, docx or PDF. It must be public. */
url: string
}
export type LibraryStepCreate = {
/** What to do. */
title: string
/** How to do it, in markdown. */
description?: string | undefined
step_type?: LibraryStepType | undefined
visibility?: LibraryStepVisibility | undefined
}
export type LibraryStepResponse = {
id: Id
/** What to do. */
title: string
/** How to do it, in markdown. */
description: string
step_type: LibraryStepType
visibility: LibraryStepVisibilityShown
/** Whether the step belongs to a flow and can only be changed there. */
is_flow_synced: boolean
/** False if the flow of the step no longer contains it, became a draft or was deleted. */
is_active: boolean
/** The flow that the step belongs to. */
source_tree_id: (Id | null)
/** The node or step in that flow. */
source_node_id: (string | null)
/** The name of that flow when it was last published. */
source_tree_name: (string | null)
/** The team it belongs to. */
team_id: (Id | null)
/** The user who created it. */
created_by: string
created_at: Timestamp
/** When it last changed. */
updated_at: string
}
/** Type of the step. */
export type LibraryStepType = ('action' | 'solution' | 'procedure_step')
export type LibraryStepUpdate = {
/** What to do. */
title?: string | undefined
/** How to do it, in markdown. */
description?: string | undefined
step_type?: LibraryStepType | undefined
visibility?: LibraryStepVisibility | undefined
}
/** Who can find the step. `team`: its creator, my team and account admins. `account`: the whole account. */
export type LibraryStepVisibility = ('team' | 'account')
/** Who can find the step. `private`: its creator. `team`: also its team and account admins. `account`: the whole account. */
export type LibraryStepVisibilityShown = ('private' | 'team' | 'account')
export type LibraryVisibility = ('none' | 'team' | 'account')
export type LineProblem = {
/** Line number in the file, starting at 1. */
line: number
/** What is wrong in that line. */
message: string
}
export type LinkCallback = {
/** The code in the address that the provider redirects the browser to. */
code: string
/** The state in that address. Check first that it equals the one stored in this browser. */
state: string
}
export type LinkedIdentity = {
provider: IdentityProvider
/** When the identity was linked. */
created_at: string
}
export type LoginRequest = {
/** The e-mail address. */
email: string
/** The password. */
password: string
/** The newest one of this device, to sign in while the address is locked. */
device_token?: string | undefined
}
/** What the model has looked up for the answer. For technicians: no text for a client has it. */
export type Lookups = ({
/** The name of the tool, such as `check_domain`. */
tool: string
/** What the model asked for, masked. */
arguments: { [key: string]: unknown }
/** Where it was looked up; null if it could not be read. */
source: (string | null)
/** What was found, or why nothing was. */
summary: string
})[]
export type MailPreferencesResponse = {
/** Events that I also get by e-mail. `session.escalated` and `escalation.reminded` are always sent. */
email_events: (NotificationEventKey)[]
/** When no e-mail is sent, unless it is urgent; null for no quiet hours. */
quiet_hours: ({
/** The days on which quiet hours begin. */
days: (Weekday)[]
/** When they begin, in my time zone. */
from: string
/** When they end: on the next day if this is not later than `from`. */
to: string
} | null)
digest: EmailDigest
/** When a daily digest is sent, in my time zone. */
digest_time: string
/** My time zone. Set it with `PATCH /auth/me`. */
timezone: string
/** Number of my e-mails that are held. */
held_emails: number
/** When the held e-mails are sent as a digest; null when no e-mail is held. */
held_until: (Timestamp | null)
}
export type MailPreferencesUpdate = {
/** Events that I also get by e-mail. `session.escalated` and `escalation.reminded` are always sent. */
email_events?: (NotificationEventKey)[] | undefined
/** When no e-mail is sent, unless it is urgent; null for no quiet hours. */
quiet_hours?: ({
/** The days on which quiet hours begin. */
days: (Weekday)[]
/** When they begin, in my time zone. */
from: string
/** When they end: on the next day if this is not later than `from`. */
to: string
} | null) | undefined
digest?: EmailDigest | undefined
/** When a daily digest is sent, in my time zone. */
digest_time?: string | undefined
}
export type MaintenanceRun = {
id: Id
/** When the run was due; for a manual run, when it was requested. */
due_at: string
trigger: RunTrigger
status: RunStatus
/** Why the run created no sessions; null if it created them. */
error: (string | null)
/** Number of sessions that the run created. */
session_count: number
/** When the run started; null for a missed run. */
started_at: (Timestamp | null)
/** The schedule that it belongs to. */
schedule_id: string
/** The batches that the run created, with at most 100 sessions each. */
batch_ids: (Id)[]
by_state: SessionsByState
by_outcome: SessionsByOutcome
}
export type MaintenanceRunNow = {
/** Id of the run. */
run_id: string
/** The batches that the run created, with at most 100 sessions each. */
batch_ids: (Id)[]
/** Number of sessions that the run created. */
session_count: number
}
export type MaintenanceSchedule = {
id: Id
/** The account it belongs to. */
account_id: string
/** The team it belongs to. */
team_id: string
/** The maintenance flow that it runs. */
tree_id: string
/** Name of the flow. */
tree_name: (string | null)
/** Name of the schedule. */
name: string
/** Five fields: minute, hour, day of the month, month, day of the week. */
cron: string
/** IANA time zone of these fields. */
timezone: string
/** Effects of the cron fields that users often do not intend, as sentences. */
warnings: (string)[]
/** The target list that the flow is run on. */
target_list_id: string
/** False while it is paused. */
is_active: boolean
/** The next due time; null while the schedule is paused. A time in the past means that its run is still pending. */
next_run_at: (Timestamp | null)
/** The latest run; null before the first. */
last_run: ({
id: Id
/** When the run was due; for a manual run, when it was requested. */
due_at: string
trigger: RunTrigger
status: RunStatus
/** Why the run created no sessions; null if it created them. */
error: (string | null)
/** Number of sessions that the run created. */
session_count: number
/** When the run started; null for a missed run. */
started_at: (Timestamp | null)
} | null)
/** The ticket that it works for; it is paused when the ticket is closed. */
ticket_number: (string | null)
/** The owner of the schedule, who also owns the sessions of its scheduled runs. */
created_by: string
created_at: Timestamp
/** When a user last changed it. */
updated_at: string
}
export type MaintenanceScheduleCreate = {
/** A published maintenance flow of my team. */
tree_id: string
/** Name of the schedule. */
name: string
/** Five fields: minute, hour, day of the month, month, day of the week. Supports `*`, lists, ranges, steps, English names, `L` for the last day of the month, `5#2` for the second Friday and `5L` for the last. Runs must be at least 5 minutes apart. A local time that the clock skips is due when the gap ends. A local time that occurs twice is due only the first time if hour and minute are fixed; a `*` or a step in one of them keeps its interval through both. */
cron: string
/** IANA time zone of the cron fields. */
timezone: string
/** A target list that I can see. */
target_list_id: string
/** False creates a paused schedule. */
is_active?: boolean | undefined
/** The ticket that it works for. A callback that closes the ticket pauses the schedule. */
ticket_number?: (string | null) | undefined
}
export type MaintenanceScheduleDetail = (MaintenanceSchedule & {
/** The next five due times; empty while it is paused. */
next_runs: (Timestamp)[]
})
export type MaintenanceScheduleUpdate = {
/** Name of the schedule. */
name?: string | undefined
/** Five fields: minute, hour, day of the month, month, day of the week. Supports `*`, lists, ranges, steps, English names, `L` for the last day of the month, `5#2` for the second Friday and `5L` for the last. Runs must be at least 5 minutes apart. A local time that the clock skips is due when the gap ends. A local time that occurs twice is due only the first time if hour and minute are fixed; a `*` or a step in one of them keeps its interval through both. */
cron?: string | undefined
/** IANA time zone of the cron fields. */
timezone?: string | undefined
/** A target list that I can see. */
target_list_id?: string | undefined
/** False pauses the schedule. */
is_active?: boolean | undefined
/** The ticket that it works for. A callback that closes the ticket pauses the schedule. */
ticket_number?: (string | null) | undefined
}
export type MarkdownFlow = {
/** The whole file with its front matter, in the format of the export. */
markdown: string
}
export type MarkdownValidateResponse = {
/** Whether the file can be imported and the flow then published unchanged. */
valid: boolean
/** The problems in the order of the file: the first 200, then the number of further ones. */
problems: (LineProblem)[]
}
export type MarkedText = {
/** Plain text, in one line. */
text: string
/** Where words of the search occur. */
marks: ({
/** Index of the first character, in UTF-16 code units as in JavaScript. */
start: number
/** Index after the last character. */
end: number
})[]
}
export type McpServer = {
id: Id
/** Stands before the names of its tools, with two underscores. Unique in the account. */
name: string
/** Address of its streamable HTTP endpoint. */
url: string
/** Whether a token is sent to it. */
has_token: boolean
/** Its tools as it described them when it was last asked, at most 50. Empty before that. */
tools: (McpTool)[]
/** When it was last asked. */
last_checked_at: (Timestamp | null)
/** Why that failed; null when it succeeded. */
last_check_error: (string | null)
created_at: Timestamp
/** When its allowed tools last changed. */
updated_at: string
}
export type McpServerCreate = {
/** Stands before the names of its tools, with two underscores. Unique in the account. */
name: string
/** Address of its streamable HTTP endpoint: https, on a public host. */
url: string
/** A bearer token that the server expects. It is never returned. */
token?: string | undefined
}
export type McpTool = {
/** The name of the tool at its server. */
name: string
/** What the model reads of it, at most 600 characters. It is the server’s text, without characters that could mislead. */
description: string
/** The part of the JSON schema of its arguments that the model reads. */
input_schema: { [key: string]: unknown }
/** Changes with anything that the server says of the tool. */
version: string
state: McpToolState
/** Why it cannot be allowed, as the end of the sentence “The tool …”; null if it can. */
refusal: (string | null)
}
/** `allowed`: the model may call it. `changed`: it was allowed in another version, and is not called. `not_allowed`: nobody has allowed it. */
export type McpToolState = ('allowed' | 'changed' | 'not_allowed')
export type McpToolsPut = {
/** The tools that the model may call, each in the version that was looked at. Every other tool is not allowed any more. */
allowed: ({
/** The name of the tool at its server. */
name: string
/** Changes with anything that the server says of the tool. */
version: string
})[]
}
export type MeResponse = (UserResponse & {
/** The error codes of the guards that block most operations now. */
guards: (AccountGuard)[]
})
export type MemberResponse = {
id: Id
/** The e-mail address that this member signs in with. */
email: string
/** The name that colleagues see. */
full_name: string
/** The role of a user in the account. */
role: Role
/** The team, if any. */
team_id: (Id | null)
/** The role in the team; null without a team. */
team_role: (TeamRole | null)
/** Whether this member may sign in. */
is_active: boolean
/** Whether the e-mail address is verified. */
email_verified: boolean
/** The last sign-in or token refresh. */
last_seen_at: (Timestamp | null)
/** Why the address gets no e-mails but those about its own sign-in; null for most. It ends when its owner opens a link of such an e-mail or changes the address, or an admin ends it. */
email_problem: (EmailProblem | null)
created_at: Timestamp
}
export type MemberUpdate = {
/** The role of a user in the account. */
role?: Role | undefined
/** A team of the account; null removes the member from the team. */
team_id?: (string | null) | undefined
team_role?: TeamRole | undefined
/** False deactivates the member and revokes all sign-ins of the member. */
is_active?: boolean | undefined
}
export type MermaidFile = {
/** A mermaid flowchart. */
format: 'mermaid'
/** The text of the flowchart. */
content: string
/** Name of the diagram; the title of the flowchart by default. */
name?: string | undefined
/** The client whose network it shows. */
client_name?: (string | null) | undefined
}
export type MessageRole = ('user' | 'assistant')
export type MfaChallengeRequest = {
/** From the sign-in. */
mfa_token: string
/** The code of the authenticator app, or a recovery code. */
code?: string | undefined
passkey?: PasskeyCredential | undefined
}
export type MfaMethod = ('totp' | 'recovery_code' | 'passkey')
export type MfaRequiredResponse = {
/** The sign-in needs a second factor. */
mfa_required: true
/** For the challenge. Works once, within 5 minutes. */
mfa_token: string
/** The second factors of this user. */
methods: (MfaMethod)[]
}
export type MfaResponse = {
/** Whether an authenticator app is set up. */
totp_enabled: boolean
/** How many passkeys there are. */
passkeys: number
/** How many recovery codes are unused. */
recovery_codes_left: number
/** Whether I must have a second factor. */
is_required: boolean
/** When this sign-in last verified a second factor. */
verified_at: (Timestamp | null)
}
export type MyAnalyticsResponse = {
period: AnalyticsPeriod
/** Sessions that were started in the period. */
sessions_started: number
/** Sessions that were completed in the period, whenever they were started. */
sessions_completed: number
/** The share of the completed sessions that was resolved; null without any. */
resolution_rate: (number | null)
/** Median time from start to completion of the completed sessions; null without any. */
median_minutes: (number | null)
/** Average score of the ratings in the period; null without any. */
csat_average: (number | null)
/** Number of ratings in the period. */
csat_count: number
/** Every day of the period, including days without sessions. */
by_day: ({
/** The day. */
date: string
/** Sessions that were started that day. */
started: number
/** Sessions that were completed that day. */
completed: number
})[]
/** The ten most used flows. */
top_flows: ({
/** The flow. */
tree_id: string
/** The name of the flow when it was last used. */
name: string
/** Sessions that were started with it. */
sessions: number
})[]
}
export type NetworkDiagramArchive = {
/** `false` restores it. */
archived?: boolean | undefined
}
export type NetworkDiagramCreate = {
/** Name of the diagram. */
name: string
/** Description of the network. */
description?: string | undefined
/** The client whose network it shows. */
client_name?: (string | null) | undefined
/** The asset that it shows. */
asset_name?: (string | null) | undefined
/** At most 1,000. */
nodes?: (DiagramNode)[] | undefined
/** At most 2,000. */
edges?: (DiagramEdge)[] | undefined
}
export type NetworkDiagramDraft = {
/** At most 1,000. */
nodes: (DiagramNode)[]
/** At most 2,000. */
edges: (DiagramEdge)[]
/** What the model found unclear or omitted. */
notes: string
}
export type NetworkDiagramFile = {
/** Type of the file. */
format: 'network-diagram'
/** Version of the format. */
version: '1.0'
/** Name of the diagram. */
name: string
/** Description of the network. */
description: string
/** The client whose network it shows. */
client_name: (string | null)
/** The asset that it shows. */
asset_name: (string | null)
/** At most 1,000. */
nodes: (DiagramNode)[]
/** At most 2,000. */
edges: (DiagramEdge)[]
}
export type NetworkDiagramGenerate = {
/** Description of the network: its devices and their connections. */
description: string
mode: DiagramGenerateMode
/** The diagram to add to, for mode `merge`. In both modes an unknown one is 404. */
diagram_id?: string | undefined
}
export type NetworkDiagramImport = (NetworkDiagramFile | DrawioFile | MermaidFile)
export type NetworkDiagramImportResponse = {
diagram: NetworkDiagramResponse
/** Parts of the file that are not in the diagram. */
skipped: (string)[]
}
export type NetworkDiagramListItem = {
id: Id
/** The account it belongs to. */
account_id: string
/** The team it belongs to. */
team_id: string
/** Name of the diagram. */
name: string
/** Description of the network. */
description: string
/** The client whose network it shows. */
client_name: (string | null)
/** The asset that it shows. */
asset_name: (string | null)
/** Whether the diagram is archived. The list omits archived diagrams by default. */
is_archived: boolean
/** Increases with every save. */
version: number
/** The user who created it. */
created_by: string
created_at: Timestamp
/** When it was last saved. */
updated_at: string
/** Number of nodes. */
node_count: number
/** Number of edges. */
edge_count: number
}
/** The new diagram. */
export type NetworkDiagramResponse = {
id: Id
/** The account it belongs to. */
account_id: string
/** The team it belongs to. */
team_id: string
/** Name of the diagram. */
name: string
/** Description of the network. */
description: string
/** The client whose network it shows. */
client_name: (string | null)
/** The asset that it shows. */
asset_name: (string | null)
/** Whether the diagram is archived. The list omits archived diagrams by default. */
is_archived: boolean
/** Increases with every save. */
version: number
/** The user who created it. */
created_by: string
created_at: Timestamp
/** When it was last saved. */
updated_at: string
/** At most 1,000. */
nodes: (DiagramNode)[]
/** At most 2,000. */
edges: (DiagramEdge)[]
}
export type NetworkDiagramUpdate = {
/** Name of the diagram. */
name?: string | undefined
/** Description of the network. */
description?: string | undefined
/** The client whose network it shows. */
client_name?: (string | null) | undefined
/** The asset that it shows. */
asset_name?: (string | null) | undefined
/** At most 1,000. */
nodes?: (DiagramNode)[] | undefined
/** At most 2,000. */
edges?: (DiagramEdge)[] | undefined
expected_version?: ExpectedVersion | undefined
}
export type NewPlatformInviteCodeResponse = (PlatformInviteCodeResponse & {
/** The code to register with. Only this response contains it. */
code: string
})
/** Where notifications are sent. `chat1_webhook`, `chat2_webhook`: the webhook of a chat tool. `email`: e-mail addresses. */
export type NotificationChannel = ('chat1_webhook' | 'chat2_webhook' | 'email')
export type NotificationConfigCreate = {
channel: NotificationChannel
/** Absolute https address without credentials on a public host. Required for a chat tool. */
webhook_url?: (string | null) | undefined
/** 1 to 20 e-mail addresses. Required for channel `email`. */
email_addresses?: ((string)[] | null) | undefined
/** The events that are sent through this channel, each at most once. May be empty. */
events_enabled?: (NotificationEventKey)[] | undefined
}
export type NotificationConfigProblem = {
kind: EmailProblemKind
/** When the mail provider said so. */
occurred_at: string
/** The address. */
address: string
}
export type NotificationConfigResponse = {
id: Id
/** Id of the account. */
account_id: string
channel: NotificationChannel
/** Webhook address of the chat tool. Not used for channel `email`, where it may be null. */
webhook_url: (string | null)
/** Recipients of the e-mails. Not used for a chat tool, where it may be null. */
email_addresses: ((string)[] | null)
/** The events that are sent through this channel. */
events_enabled: (NotificationEventKey)[]
/** When the chat tool said that the webhook no longer exists; null after a message that it accepts, and for another webhook. */
disconnected_at: (Timestamp | null)
/** Addresses that get no e-mails, with the reason. Those that bounced get them again when you save `email_addresses`. */
email_problems: (NotificationConfigProblem)[]
created_at: Timestamp
}
export type NotificationConfigUpdate = {
channel?: NotificationChannel | undefined
/** Absolute https address without credentials on a public host. Required for a chat tool. */
webhook_url?: (string | null) | undefined
/** 1 to 20 e-mail addresses. Required for channel `email`. */
email_addresses?: ((string)[] | null) | undefined
/** The events that are sent through this channel, each at most once. May be empty. */
events_enabled?: (NotificationEventKey)[] | undefined
}
export type NotificationDelivery = {
id: Id
/** Id of the config. */
config_id: string
/** The kind of event; null for a test message. */
event_key: (NotificationEventKey | null)
channel: NotificationChannel
/** The state of the delivery. `failed` is final until it is retried manually. */
state: DeliveryState
/** Number of attempts so far. */
attempts: number
/** Why the last attempt failed, or whom it left out. */
last_error: (string | null)
/** The HTTP status of the last attempt; null without a response. */
last_status_code: (number | null)
/** When the next attempt is due; null when there is none. */
next_attempt_at: (Timestamp | null)
/** When the channel accepted it. */
delivered_at: (Timestamp | null)
created_at: Timestamp
}
/** The kind of event. */
export type NotificationEventKey = ('session.escalated' | 'escalation.reminded' | 'escalation.unreached' | 'escalation.acknowledged' | 'handoff.claimed' | 'handoff.assessment_ready' | 'proposal.submitted' | 'proposal.approved' | 'proposal.rejected' | 'approval.requested' | 'approval.decided' | 'approval.expired' | 'session.timer_due' | 'handover.due' | 'maintenance.batch_created' | 'maintenance.run_failed' | 'psa.push_failed' | 'channel.disconnected' | 'oncall.overridden' | 'member.joined')
export type NotificationResponse = {
id: Id
/** Id of the recipient. */
user_id: string
event_key: NotificationEventKey
/** Title in one line. */
title: string
/** Details, as plain text. */
body: string
/** A path of the frontend. */
link: (string | null)
/** The details of an escalation; null for other events. */
escalation: ({
urgency: Urgency
/** The client’s company. */
client_name: (string | null)
/** Id of the linked ticket. */
psa_ticket_id: (string | null)
/** Why the session was handed over. This and the next texts have at most 2,000 characters. */
reason: string
/** The problem and its current state. */
summary: string
/** What was tried, with the results. */
what_was_tried: string
/** What to do next. */
next_steps: string
/** Id of the handoff, with which it is claimed. */
handoff_id?: string | undefined
/** Where the ticketing system shows the ticket. */
ticket_url?: (string | null) | undefined
/** The suggested fixes with their outcomes, each in a line. */
fixes?: string | undefined
/** What was observed, each in a line. */
known?: string | undefined
/** The start of the assessment, in the alert about it. */
assessment?: string | undefined
} | null)
/** Whether the recipient has read it. */
is_read: boolean
/** When it was first read. */
read_at: (Timestamp | null)
created_at: Timestamp
}
export type NotificationTestRequest = {
/** Id of the config to test. */
config_id: string
}
export type NotificationTestResponse = {
/** Whether the channel accepted the message. */
success: boolean
/** The result as a sentence. */
message: string
}
export type OAuthAuthorizationResponse = {
/** The address to send the browser to. */
authorization_url: string
/** A random value that the provider sends back in its redirect. Store it in this browser until then. */
state: string
}
export type OAuthCallbackPayload = {
/** The code in the address that the provider redirects the browser to. */
code: string
/** The state in that address. Check first that it equals the one stored in this browser. */
state: string
/** The code of an account's invite. A new user joins that account; no account is created. */
account_invite_code?: string | undefined
/** The invited e-mail address. An identity with another address is refused: 400 `invite_email_mismatch`. */
invited_email?: string | undefined
}
export type OAuthClient = {
/** The `client_id` of the program. */
id: string
/** The name that the program gave itself. */
name: string
/** Where the browser may continue: hosts, or the scheme of a program on the device. */
redirect_hosts: (string)[]
}
export type OnCallDuties = {
/** Schedules with the member in a rotation, or in an override that has not ended. */
schedules: ({
id: Id
/** Its name. */
name: string
})[]
/** Escalation policies with a step that notifies the member. */
policies: ({
id: Id
/** Its name. */
name: string
})[]
}
export type OnCallHours = {
/** The days on which they begin. */
days: (Weekday)[]
/** When they begin. */
from: string
/** When they end: on the next day if it is not after `from`. */
to: string
}
/** Whose local times the hours are: `schedule` (if absent), or `member` for those of the member on call. */
export type OnCallHoursZone = ('schedule' | 'member')
export type OnCallNow = {
/** Id of the schedule. */
schedule_id: string
/** Its name. */
schedule_name: string
/** The team it belongs to; null for the whole account. */
team_id: (Id | null)
/** The user on call; null for none. */
user: ({
id: Id
/** Full name. */
name: string
} | null)
/** When the shift ends; null without a user on call. */
until: (Timestamp | null)
/** The override that puts this user on call; null for a turn of a rotation. */
override_id: (Id | null)
}
export type OnCallOverrideCreate = {
/** Id of the user who takes over: an engineer or admin. */
member_id: string
/** When it begins. */
starts_at: string
/** When it ends: in the future, at most 31 days after `starts_at`. */
ends_at: string
}
export type OnCallOverrideResponse = {
id: Id
/** Who is on call. */
user: {
id: Id
/** Full name. */
name: string
}
starts_at: Timestamp
ends_at: Timestamp
/** The user who created it. */
created_by: string
created_at: Timestamp
}
export type OnCallScheduleCreate = {
/** Name of the schedule. */
name: string
/** IANA time zone. */
timezone: string
/** The team it belongs to; null for the whole account. */
team_id?: (Id | null) | undefined
/** Who is on call in turn. Each rotation applies until the next one of its layer begins. A member who is deactivated or a viewer loses the turn to the next. */
rotations?: ((DailyRotation | WeeklyRotation))[] | undefined
}
export type OnCallScheduleResponse = {
id: Id
/** Name of the schedule. */
name: string
/** IANA time zone. */
timezone: string
/** The team it belongs to; null for the whole account. */
team_id: (Id | null)
/** Who is on call in turn. Each rotation applies until the next one of its layer begins. A member who is deactivated or a viewer loses the turn to the next. */
rotations: ((DailyRotation | WeeklyRotation))[]
/** Increases with every save. */
version: number
/** The user who created it. */
created_by: string
created_at: Timestamp
/** When it was last saved. */
updated_at: string
}
export type OnCallScheduleUpdate = {
/** Name of the schedule. */
name?: string | undefined
/** IANA time zone. */
timezone?: string | undefined
/** The team it belongs to; null for the whole account. */
team_id?: (Id | null) | undefined
/** Who is on call in turn. Each rotation applies until the next one of its layer begins. A member who is deactivated or a viewer loses the turn to the next. */
rotations?: ((DailyRotation | WeeklyRotation))[] | undefined
expected_version?: ExpectedVersion | undefined
}
export type OnCallScheduleUpdated = (OnCallScheduleResponse & {
/** Who was on call just before the change; null for nobody. */
on_call_before: ({
id: Id
/** Full name. */
name: string
} | null)
/** Who is on call now. Another user than before was put on call by the change. */
on_call_after: ({
id: Id
/** Full name. */
name: string
} | null)
})
export type OnCallShift = {
/** Who is on call. */
user: {
id: Id
/** Full name. */
name: string
}
starts_at: Timestamp
ends_at: Timestamp
/** The override that puts this user on call; null for a turn of a rotation. */
override_id: (Id | null)
}
export type OnboardingStatusResponse = {
/** The highest step sent so far; 0 before the first. 1 profile, 2 shop, 3 psa, 4 invites, 5 first flow, 6 done. */
current_step: number
/** Completed steps, in the order of completion. */
completed_steps: (number)[]
/** Steps that were skipped and not completed since, in the order of skipping. */
skipped_steps: (number)[]
/** Whether the remaining steps were dismissed. */
dismissed: boolean
/** Whether my e-mail address is verified. */
email_verified: boolean
/** Whether step 2 was completed. */
shop_setup_done: boolean
/** Whether I have started an AI session. For older clients. */
tried_ai_assistant: boolean
/** Whether my account is connected to a ticketing system. */
psa_connected: boolean
/** Whether my account has ever sent an invite. */
team_invited: boolean
/** Whether my account has a flow of its own. */
first_flow_created: boolean
}
/** `skip` ignores the data. */
export type OnboardingStepAction = ('complete' | 'skip')
export type OnboardingStepUpdate = {
/** 1 profile, 2 shop, 3 psa, 4 invites, 5 first flow, 6 done. */
step: number
action: OnboardingStepAction
data?: JsonValue | undefined
}
export type OneFlowAnalytics = (FlowAnalytics & {
/** In the order of the flow. Steps that it no longer has come last. */
steps: (StepAnalytics)[]
})
/** The status of an open AI session. */
export type OpenAiSessionStatus = ('active' | 'parked' | 'requesting_escalation' | 'escalated' | 'claimed')
export type OperationsStatus = {
/** As in `GET /ready`. `in_process`: this process replaces it by its own memory. */
dependencies: { [key: string]: DependencyState }
/** Problems that will occur soon. */
warnings: (string)[]
/** Stored work that is not done, by kind. */
backlogs: ({
outbox: OutboxKind
/** Rows that wait for an attempt, at most 10,000. */
open: number
/** Rows among them whose attempt is due. */
due: number
/** How long the oldest of them has been due; 0 without one. */
oldest_due_seconds: number
})[]
/** Maintenance schedules. */
schedules: {
/** Schedules whose time has come, at most 10,000. */
due: number
/** How long the oldest of them has been due. */
oldest_due_seconds: number
}
/** At most 50, the longest failing first. */
failing_webhooks: ({
/** The webhook. */
webhook_id: string
/** The account that owns it. */
account_id: string
/** Failed attempts since the last success. */
failures: number
/** The first of these failures. */
failing_since: (Timestamp | null)
/** No attempt starts before this time. */
paused_until: (Timestamp | null)
/** Why the service switched it off. */
disabled_reason: (WebhookDisabledReason | null)
})[]
/** The ten statements that took the most time. Null without the extension pg_stat_statements, or the right to read it. */
slow_statements: (({
/** Its `queryid` in pg_stat_statements. */
query_id: string
/** Its verb and table. */
name: string
/** How often it ran. */
calls: number
/** Mean time in milliseconds. */
mean_ms: number
/** Total time in milliseconds. */
total_ms: number
})[] | null)
/** What runs. */
versions: {
/** As in `GET /health`. */
service: string
/** The newest applied migration. */
migration: string
/** The version of the database server. */
postgresql: string
}
}
export type OtherSubscription = {
/** The billing provider's id of the subscription. */
id: string
/** The plan that has its price; null for another price. */
plan: (string | null)
/** The state of its payment. */
status: SubscriptionStatus
/** When its paid period ends. */
current_period_end: (Timestamp | null)
/** When the subscription will end, because that was planned in the portal; null while it renews. */
cancel_at: (Timestamp | null)
/** Whether the subscription ends with the period that is paid. */
cancel_at_period_end: boolean
}
/** The kind of stored work. */
export type OutboxKind = ('deliveries' | 'pushes' | 'ai_tasks' | 'webhooks' | 'reminders' | 'assessments' | 'live_events' | 'exports' | 'imports' | 'kb_batches' | 'ticket_changes' | 'runner_runs')
export type OutboxReplay = {
outbox: ReplayedOutbox
}
export type OutboxReplayResult = {
/** Rows that wait for an attempt and are due now, at most 10,000. */
rows: number
}
export type PasskeyCreate = {
/** A name to recognise it. */
name: string
credential: PasskeyCredential
}
export type PasskeyCreateResponse = {
passkey: PasskeyResponse
/** New recovery codes, if this is the first second factor. They are not shown again. */
recovery_codes: (string)[]
}
/** What `navigator.credentials.create` or `get` returned, as JSON. */
export type PasskeyCredential = { [key: string]: unknown }
/** Options for the browser, in the JSON form of WebAuthn. */
export type PasskeyOptions = { [key: string]: unknown }
/** The new passkey. */
export type PasskeyResponse = {
id: Id
/** The name that the user chose. */
name: string
created_at: Timestamp
/** When it last signed in. */
last_used_at: (Timestamp | null)
}
export type PasskeySignInRequest = {
passkey: PasskeyCredential
}
export type PasskeyUpdate = {
/** A name to recognise it. */
name: string
}
/** The kind of operation. */
export type PatchOperationName = ('add' | 'remove' | 'replace')
export type PinOrder = {
/** The ids of all my pinned flows, in their new order. */
tree_ids: (string)[]
}
export type PlanFeatureUpdate = {
/** The key of the plan. */
plan?: string | undefined
/** Whether accounts on this plan have the feature. */
enabled?: boolean | undefined
}
export type PlanLimitsResponse = {
/** The key of the plan. */
plan: string
/** Seats; null for no limit. */
max_users: (number | null)
/** Knowledge imports in total; null for no limit. */
max_kb_imports: (number | null)
/** AI builds per month; null for no limit. */
max_ai_builds_per_month: (number | null)
quotas: PlanQuotas
/** The name that customers see. This field and every field below are null for a plan without billing. */
display_name: (string | null)
/** Who the plan is for. */
description: (string | null)
/** Price per month, in cents. */
monthly_price_cents: (number | null)
/** Price per year, in cents. */
annual_price_cents: (number | null)
/** ISO 4217 code in lower case. */
currency: (string | null)
/** What the plan includes, as text for people. */
features: ((string)[] | null)
/** Whether the public price list shows the plan. */
is_public: (boolean | null)
/** Whether the plan was withdrawn. The price list never shows a withdrawn plan. */
is_archived: (boolean | null)
/** Position in the list; smaller first. */
sort_order: (number | null)
/** The billing provider's id of the product. */
provider_product_id: (string | null)
/** The provider's id of the monthly price. */
provider_monthly_price_id: (string | null)
/** The provider's id of the annual price. */
provider_annual_price_id: (string | null)
}
export type PlanLimitsUpdate = {
/** The key of the plan. An unknown key creates a plan. */
plan: string
/** Seats; null for no limit. */
max_users?: (number | null) | undefined
/** Knowledge imports in total; null for no limit. */
max_kb_imports?: (number | null) | undefined
/** AI builds per month; null for no limit. */
max_ai_builds_per_month?: (number | null) | undefined
quotas?: PlanQuotas | undefined
/** The name that customers see; null leaves it unchanged. */
display_name?: (string | null) | undefined
/** Price per month, in cents; null for a price by agreement. */
monthly_price_cents?: (number | null) | undefined
/** Price per year, in cents; null for a price by agreement. */
annual_price_cents?: (number | null) | undefined
/** ISO 4217 code. */
currency?: string | undefined
/** Whether the public price list shows the plan. */
is_public?: boolean | undefined
/** Whether the plan was withdrawn. The price list never shows a withdrawn plan. */
is_archived?: boolean | undefined
/** Position in the list; smaller first. */
sort_order?: number | undefined
/** The billing provider's id of the product. */
provider_product_id?: (string | null) | undefined
/** The provider's id of the monthly price. */
provider_monthly_price_id?: (string | null) | undefined
/** The provider's id of the annual price. */
provider_annual_price_id?: (string | null) | undefined
}
/** The limits of `GET /accounts/me/usage`; null for none. */
export type PlanQuotas = {
/** Flows. */
flows?: (number | null) | undefined
/** Open AI sessions. */
open_ai_sessions?: (number | null) | undefined
/** Schedules. */
schedules?: (number | null) | undefined
/** Configs. */
notification_configs?: (number | null) | undefined
/** Webhooks. */
webhooks?: (number | null) | undefined
/** E-mails. */
mails_per_day?: (number | null) | undefined
/** Bytes. */
stored_bytes?: (number | null) | undefined
/** Millionths of a dollar per month. */
ai_cost_micros?: (number | null) | undefined
}
export type PlatformInviteCodeCreate = {
/** How many users may register with the code. */
max_uses?: number | undefined
/** When the code expires; null for never. */
expires_at?: (string | null) | undefined
/** A note for staff. */
note?: (string | null) | undefined
}
export type PlatformInviteCodeResponse = {
id: Id
/** How many users may register with the code. */
max_uses: number
/** How many users have registered with it. */
used_count: number
status: PlatformInviteCodeStatus
/** When the code expires; null for never. */
expires_at: (Timestamp | null)
/** A note for staff. */
note: (string | null)
/** The user who created the code. */
created_by: (Id | null)
/** The name of that user. */
created_by_name: (string | null)
created_at: Timestamp
}
/** Only an open code can be used to register. */
export type PlatformInviteCodeStatus = ('open' | 'used_up' | 'expired')
export type PreparedSessionStart = {
variables?: SessionVariables | undefined
}
/** Its JSON. */
export type PresenceEvent = {
type: PresenceType
/** Id of the flow, session or AI session. */
id: string
/** The colleague. */
user: {
id: Id
/** Their full name. */
name: string
}
/** Null when they have left. */
mode: (PresenceMode | null)
/** When they arrived; null when they have left. */
since: (Timestamp | null)
}
export type PresenceListItem = {
type: PresenceType
/** Id of the flow, session or AI session. */
id: string
/** The colleague. */
user: {
id: Id
/** Their full name. */
name: string
}
mode: PresenceMode
/** When they arrived. */
since: string
/** When their presence ends unless it is repeated. */
expires_at: string
}
/** `editing` if they edit in any of their tabs. */
export type PresenceMode = ('viewing' | 'editing')
export type PresencePut = {
type: PresenceType
/** Id of the flow, session or AI session. */
id: string
mode: PresenceMode
/** Chosen by the client for each tab or window. Closing one tab does not end the presence of another. */
tab_id?: string | undefined
}
export type PresenceResponse = {
/** When the presence ends unless the request is repeated: after 60 seconds. */
expires_at: string
/** Colleagues who view or edit it now, those who edit first. */
also_here: (PresentColleague)[]
}
/** The type of the resource. */
export type PresenceType = ('flow' | 'session' | 'ai_session')
export type PresentColleague = {
/** The colleague. */
user: {
id: Id
/** Their full name. */
name: string
}
mode: PresenceMode
/** When they arrived. */
since: string
}
export type ProfileUpdate = {
/** The name that colleagues see. */
full_name?: string | undefined
/** IANA time zone. */
timezone?: string | undefined
}
/** `create`: creates a new flow. `update`: replaces the content of the target. */
export type ProposalAction = ('create' | 'update')
/** The kind of session that it was created from. */
export type ProposalSource = ('session' | 'ai_session')
/** `pending`: not decided yet. `approved`, `rejected`: decided. */
export type ProposalStatus = ('pending' | 'approved' | 'rejected')
/** The outcome that the model derives from the technician’s words. */
export type ProposedFixOutcome = ('applied_success' | 'applied_failed' | 'applied_partial' | 'applied_pending')
/** The type of the evidence. */
export type ProvidedEvidenceType = ('screenshot' | 'text' | 'number' | 'boolean' | 'select')
export type PsaBoard = {
/** Id in the ticketing system. */
id: string
/** Name of the board. */
name: string
}
export type PsaBoardWithStatuses = {
/** Id in the ticketing system. */
id: string
/** Name of the board. */
name: string
/** Its statuses. */
statuses: (PsaStatus)[]
}
export type PsaCallbackAddress = {
/** The address for the ticketing system. It is returned only once. */
url: string
/** HaloPSA: user name of the basic authentication; null for ConnectWise, which signs. */
username: (string | null)
/** HaloPSA: password of the basic authentication. It is returned only once. */
password: (string | null)
}
export type PsaCallbacks = {
/** Whether there is an address for callbacks. */
is_enabled: boolean
/** When the last callback arrived; null before the first. */
last_received_at: (Timestamp | null)
}
export type PsaClientMail = {
/** Name of the contact; null until it was sent, and 90 days later. */
name: (string | null)
/** Address of the contact, which outputs show masked; null as the name. */
address: (string | null)
/** When the ticketing system took it; null until then. */
sent_at: (Timestamp | null)
/** Why the address gets no e-mails of this service, which makes it likely that it gets none at all; null for no reason. */
email_problem: (EmailProblem | null)
}
export type PsaCompanyItem = {
/** Id in the ticketing system. */
id: string
/** The client. */
name: string
}
export type PsaConnectionResponse = {
id: Id
provider: PsaProvider
/** Base URL of the ticketing system. */
base_url: string
/** ConnectWise: the company id that users enter to sign in. */
company_id: (string | null)
/** Id of the integration at the provider. */
client_id: string
/** HaloPSA: name of the tenant; null if the base URL identifies the tenant. */
tenant: (string | null)
/** HaloPSA: its authorisation server; null if it is below the base URL. */
auth_url: (string | null)
/** HaloPSA: the action that adds internal notes; null for `Private Note`. */
private_note_outcome: (string | null)
/** HaloPSA: the action that adds notes for the client; null for `Public Note`. */
public_note_outcome: (string | null)
/** Whether the connection is used. An inactive connection counts as none. */
is_active: boolean
/** Time entries are rounded up to a multiple of this many minutes; 1 by default. */
time_rounding_minutes: number
/** The shortest time entry, in minutes; 0 by default. */
time_minimum_minutes: number
/** The status that the ticket of a resolved case gets, by board. Other boards keep theirs. */
resolved_statuses: (PsaResolvedStatus)[]
/** When the credentials were last checked. */
last_checked_at: (Timestamp | null)
/** Why that check failed; null when it succeeded. */
last_check_error: (string | null)
created_at: Timestamp
/** When the connection was last changed. */
updated_at: string
}
export type PsaConnectionTest = {
/** Whether the ticketing system accepted the credentials. */
success: boolean
/** The result as a sentence. */
message: string
/** The first 50 boards with their statuses, to choose `resolved_statuses` from; empty if the test failed. */
boards: (PsaBoardWithStatuses)[]
}
export type PsaConnectionUpdate = {
provider?: PsaProvider | undefined
/** Base URL of the ticketing system: its site, or the path of its API. HaloPSA: it is stored as the site. */
base_url?: string | undefined
/** ConnectWise: the company id that users enter to sign in. */
company_id?: string | undefined
/** ConnectWise: the API member's public key. It is never returned. */
public_key?: string | undefined
/** ConnectWise: the API member's private key. It is never returned. */
private_key?: string | undefined
/** Id of the integration at the provider. */
client_id?: string | undefined
/** HaloPSA: the secret of the API application. It is never returned. */
client_secret?: string | undefined
/** HaloPSA: name of the tenant; null if the base URL identifies the tenant. */
tenant?: (string | null) | undefined
/** HaloPSA: the address of its authorisation server, if it is not below the base URL. The secret is sent to it. */
auth_url?: (string | null) | undefined
/** HaloPSA: the name of the action that adds internal notes; `Private Note` by default. */
private_note_outcome?: (string | null) | undefined
/** HaloPSA: the name of the action that adds notes for the client; `Public Note` by default. */
public_note_outcome?: (string | null) | undefined
/** Whether the connection is used. A new connection is active when left out. */
is_active?: boolean | undefined
/** Time entries are rounded up to a multiple of this many minutes; 1 by default. */
time_rounding_minutes?: number | undefined
/** The shortest time entry, in minutes; 0 by default. */
time_minimum_minutes?: number | undefined
/** The status that the ticket of a resolved case gets, by board; empty for none. The ticketing system is asked whether it has them. */
resolved_statuses?: (PsaResolvedStatus)[] | undefined
}
export type PsaMailRefusal = ('no_contact' | 'no_address' | 'mail_off')
export type PsaMember = {
/** Id in the ticketing system. */
id: string
/** Sign-in name in the ticketing system. */
identifier: string
/** Full name. */
name: string
/** E-mail address in the ticketing system. */
email: (string | null)
}
export type PsaMemberMapping = {
/** Id of a user of the account. */
user_id: string
/** Name of the user. */
full_name: string
/** E-mail address of the user. */
email: string
/** Id of the mapped member; null when unmapped. */
psa_member_id: (string | null)
/** Sign-in name of the mapped member; null when unmapped. */
psa_identifier: (string | null)
/** Name of the mapped member; null when unmapped. */
psa_name: (string | null)
/** For an unmapped user: the only member with the same e-mail address, if there is one and the ticketing system is available. */
suggested_member_id: (string | null)
}
export type PsaMemberMappingUpdate = {
/** Id of the member, or null to remove the mapping. */
psa_member_id?: (string | null) | undefined
}
/** Who sees it: `internal` only technicians, `client` also the client, `resolution` also the client, as the solution. */
export type PsaNoteVisibility = ('internal' | 'client' | 'resolution')
/** The ticketing system: ConnectWise Manage or HaloPSA. */
export type PsaProvider = ('connectwise' | 'halopsa')
export type PsaPush = {
id: Id
kind: PsaPushKind
/** Id of the ticket in the ticketing system; null until a new one was created. */
ticket_id: (string | null)
visibility: PsaNoteVisibility
/** Whether the note is hidden from the client. */
internal: boolean
/** What it documents: a session, an AI session, an output of an AI session, or a text of a user. */
source_kind: PsaPushSource
/** Id of the session, AI session, output or user. */
source_id: string
/** The user who requested it; null when a job did. */
requested_by: (Id | null)
state: PsaPushState
/** Number of attempts. */
attempts: number
/** Why the last attempt failed. */
last_error: (string | null)
/** When the next attempt is due; null when there is none. */
next_attempt_at: (Timestamp | null)
/** When it reached the ticketing system. */
pushed_at: (Timestamp | null)
/** Id of the status that the ticket got with the note of a resolved case; null for none. */
ticket_status_id: (string | null)
/** Id of the note, time entry or ticket in the ticketing system. */
provider_note_id: (string | null)
created_at: Timestamp
/** The e-mail with the note that the ticketing system sends to the contact of the ticket; null when none was requested. */
client_mail: (PsaClientMail | null)
}
/** What is pushed: a note, a time entry or a new ticket. */
export type PsaPushKind = ('note' | 'time_entry' | 'ticket')
export type PsaPushPreview = {
/** Id of the ticket in the ticketing system. */
ticket_id: string
visibility: PsaNoteVisibility
/** The note as it would be pushed now, masked for those who will see it. */
text: string
/** Whom the ticketing system would mail with `notify`; null for nobody. */
recipient: ({
/** Name of the contact. */
name: string
/** Address of the contact. */
address: string
/** Why the address gets no e-mails of this service, which makes it likely that it gets none at all; null for no reason. */
email_problem: (EmailProblem | null)
} | null)
/** Why nobody would be mailed. `no_contact`: the ticket has no contact. `no_address`: the contact has no address. `mail_off`: the ticketing system has e-mails to the contact of this ticket switched off. Null for a note that the client does not see. */
refusal: (PsaMailRefusal | null)
}
export type PsaPushSource = ('session' | 'ai_session' | 'output' | 'user')
/** `queued`: not attempted yet. `retrying`: waits for a retry. `pushed`: stored in the ticketing system. `failed`: no further attempt follows. */
export type PsaPushState = ('queued' | 'retrying' | 'pushed' | 'failed')
export type PsaResolvedStatus = {
/** Id of a board. */
board_id: string
/** Id of a status of the board. */
status_id: string
}
export type PsaRule = {
id: Id
/** Name of the rule. */
name: string
/** Rules are checked in this order; the first that matches prepares a session. */
position: number
/** False switches the rule off. */
is_enabled: boolean
/** Only tickets of this board; null for every board. */
board_id: (string | null)
/** Only tickets of this type; null for every type. */
ticket_type: (string | null)
/** Only tickets with one of these words or phrases in the summary or description. Plain words without patterns. */
keywords: (string)[]
/** A published flow that I can see. */
tree_id: string
/** The field of the ticket for each variable of the flow. */
variables: { [key: string]: PsaTicketField }
/** The user of the prepared sessions. */
user_id: string
/** When it last prepared a session. */
last_matched_at: (Timestamp | null)
/** Why the last matching ticket got no session; null when it got one. */
last_error: (string | null)
created_at: Timestamp
/** When an admin last changed it. */
updated_at: string
}
export type PsaRuleCreate = {
/** Name of the rule. */
name: string
/** Rules are checked in this order; the first that matches prepares a session. */
position?: number | undefined
/** False switches the rule off. */
is_enabled?: boolean | undefined
/** Only tickets of this board; null for every board. */
board_id?: (string | null) | undefined
/** Only tickets of this type; null for every type. */
ticket_type?: (string | null) | undefined
/** Only tickets with one of these words or phrases in the summary or description. Plain words without patterns. */
keywords?: (string)[] | undefined
/** A published flow that I can see. */
tree_id: string
/** The field of the ticket for each variable of the flow. */
variables?: { [key: string]: PsaTicketField } | undefined
/** The user of the prepared sessions; I, if left out. */
user_id?: string | undefined
}
export type PsaRuleUpdate = {
/** Name of the rule. */
name?: string | undefined
/** Rules are checked in this order; the first that matches prepares a session. */
position?: number | undefined
/** False switches the rule off. */
is_enabled?: boolean | undefined
/** Only tickets of this board; null for every board. */
board_id?: (string | null) | undefined
/** Only tickets of this type; null for every type. */
ticket_type?: (string | null) | undefined
/** Only tickets with one of these words or phrases in the summary or description. Plain words without patterns. */
keywords?: (string)[] | undefined
/** A published flow that I can see. */
tree_id?: string | undefined
/** The field of the ticket for each variable of the flow. */
variables?: { [key: string]: PsaTicketField } | undefined
/** The user of the prepared sessions. */
user_id?: string | undefined
}
export type PsaStatus = {
/** Id in the ticketing system. */
id: string
/** Name of the status. */
name: string
/** Whether it closes a ticket; null in HaloPSA, which does not say. */
is_closed: (boolean | null)
}
/** The ticket itself. */
export type PsaTicket = (PsaTicketItem & {
/** Id of its board. */
board_id: (string | null)
/** Id of the client. */
company_id: (string | null)
/** Id of the contact who reported it. */
contact_id: (string | null)
/** Type of the ticket. */
type: (string | null)
/** The report. */
description: (string | null)
/** Whether it is closed. */
is_closed: boolean
/** Id of the ticket that it was merged into; null for most. What a session of it pushes goes there. */
merged_into: (string | null)
/** When it was opened. */
created_at: (Timestamp | null)
/** Subtype in ConnectWise, first category in HaloPSA. */
sub_type: (string | null)
/** Item in ConnectWise, second category in HaloPSA. */
item: (string | null)
/** The service level agreement. */
sla: (string | null)
/** Whether the agreement is met so far; null when the ticketing system does not say. */
is_in_sla: (boolean | null)
/** What is due next by the agreement, in ConnectWise’s words; null in HaloPSA. */
sla_status: (string | null)
/** When it must be resolved by the agreement; null in ConnectWise, which says it in `sla_status`. */
resolve_by: (Timestamp | null)
/** When the client needs it. */
required_by: (Timestamp | null)
/** Severity in ConnectWise, urgency in HaloPSA. */
severity: (string | null)
/** How many people it affects. */
impact: (string | null)
/** The site of the client. */
site: (string | null)
/** The team that works on it. */
team: (string | null)
/** The assigned people, at most 50. */
resources: (string)[]
/** Fields of your own, at most 50. Fields without a value are left out. */
custom_fields: ({
/** Name of the field. */
name: string
/** Its value as text, at most 500 characters. */
value: string
})[]
})
export type PsaTicketContext = {
ticket: PsaTicket
/** The client; null when the ticket names none. */
company: ({
/** Id in the ticketing system. */
id: string
/** The client. */
name: string
/** Its phone number. */
phone: (string | null)
/** Its postal address, in one line. */
address: (string | null)
/** Its website. */
website: (string | null)
} | null)
/** The person who reported it; null when the ticket names none. */
contact: ({
/** Id in the ticketing system. */
id: string
/** Name of the contact. */
name: string
/** Job title. */
title: (string | null)
/** E-mail address. */
email: (string | null)
/** Phone number. */
phone: (string | null)
} | null)
/** Affected devices and services, at most 10. */
configurations: ({
/** Id in the ticketing system. */
id: string
/** Name of the device or service. */
name: string
/** Type of device or service. */
type: (string | null)
/** Manufacturer. */
manufacturer: (string | null)
/** Model. */
model: (string | null)
/** Its serial number. */
serial_number: (string | null)
/** Operating system. */
operating_system: (string | null)
/** IP address. */
ip_address: (string | null)
})[]
/** The newest 50 notes, newest first. */
notes: ({
/** Id in the ticketing system. */
id: string
/** Text of the note. */
text: string
/** Author of the note. */
author: (string | null)
/** Whether the note is hidden from the client. */
internal: boolean
/** When it was written. */
created_at: (Timestamp | null)
/** Whether it was pushed by this service. */
added_by_service: boolean
})[]
/** Up to 10 other tickets of the client, the most recently changed first. */
related_tickets: (PsaTicketItem)[]
/** Parts that could not be read this time and are therefore empty. */
unavailable: (TicketContextPart)[]
/** When it was read from the ticketing system. It is cached for five minutes. */
fetched_at: string
}
export type PsaTicketCreate = {
/** Without it, the name of the flow and the client. */
summary?: string | undefined
/** Id of the client in the ticketing system. */
company_id: string
/** Id of the contact in the ticketing system. */
contact_id?: string | undefined
/** Id of the board. Without it, the ticketing system chooses one. */
board_id?: string | undefined
}
export type PsaTicketField = ('id' | 'summary' | 'description' | 'company' | 'contact' | 'board' | 'status' | 'priority' | 'type' | 'owner')
export type PsaTicketItem = {
/** Id in the ticketing system. */
id: string
/** Summary of the ticket. */
summary: string
/** The board it is on. */
board: (string | null)
/** Its status on that board. */
status: (string | null)
/** Its priority. */
priority: (string | null)
/** The client. */
company: (string | null)
/** The person who reported it. */
contact: (string | null)
/** The assigned member; null when there is none. */
owner: (string | null)
/** When it was last changed. */
updated_at: (Timestamp | null)
}
export type PsaTicketNoteCreate = {
/** Plain text. */
text: string
visibility?: PsaNoteVisibility | undefined
/** Whether the ticketing system also mails the note to the contact of the ticket. Only for a note that the client sees. */
notify?: boolean | undefined
}
export type PsaTicketPage = {
/** Open tickets, the most recently changed first. */
items: (PsaTicketItem)[]
/** Number of this page. */
page: number
/** Requested number of tickets per page. */
page_size: number
/** Whether a page follows. */
has_more: boolean
}
export type PsaTicketUpdate = {
/** Id of a status of the board. */
status_id?: string | undefined
/** Id of the new board. It needs a `status_id` of this board. */
board_id?: string | undefined
/** Id of the member to assign; `me` for the member I am mapped to, null for nobody. */
member_id?: ((string | 'me') | null) | undefined
}
export type PsaTimeEntryCreate = {
/** Minutes before rounding. Without it, the time from the start to the end of the session. */
minutes?: number | undefined
/** Plain text. Without it, the name of the flow and the outcome. */
note?: string | undefined
visibility?: PsaNoteVisibility | undefined
}
export type PublicConfigResponse = {
/** Whether anyone may register without a platform invite code. */
self_serve_enabled: boolean
/** The configured identity providers. */
oauth_providers: (IdentityProvider)[]
}
export type PublicPlanResponse = {
/** The key of the plan. */
plan: string
/** The name that customers see. */
display_name: string
/** Who the plan is for. */
description: string
/** Price per month, in cents; null for a price by agreement. */
monthly_price_cents: (number | null)
/** Price per year, in cents; null for a price by agreement. */
annual_price_cents: (number | null)
/** ISO 4217 code in lower case. */
currency: string
/** Position in the list; smaller first. */
sort_order: number
/** What the plan includes, as text for people. */
features: (string)[]
/** Seats; null for no limit. */
max_seats: (number | null)
}
export type Quota = {
/** What is used. */
used: number
/** The limit; null for none. */
limit: (number | null)
}
export type RecoveryCodesResponse = {
/** Each can be used once instead of a code. They are not shown again. */
recovery_codes: (string)[]
}
export type RefreshRequest = {
/** The newest refresh token of this sign-in. */
refresh_token: string
}
export type RegisterRequest = {
/** The e-mail address to sign in with. */
email: string
/** 10 to 128 characters. Must not contain the e-mail address or be a common password. */
password: string
/** The name that colleagues see. */
full_name: string
/** The name of the new account. By default it is derived from the full name. */
account_name?: string | undefined
/** A platform invite code, required if registration is by invitation only. It is redeemed whenever it is sent. */
invite_code?: string | undefined
/** The code of an account's invite. The user joins that account; no account is created. */
account_invite_code?: string | undefined
}
/** `waiting`: it is not due yet. `sent`: people or channels were notified. `unreached`: there was nobody to notify, such as when no one was on call; the next step followed. `stopped`: somebody had taken the escalation. `failed`: it could not be taken. */
export type ReminderState = ('waiting' | 'sent' | 'unreached' | 'stopped' | 'failed')
/** The kind of stored work. */
export type ReplayedOutbox = ('deliveries' | 'pushes' | 'ai_tasks' | 'webhooks')
export type ReportSubscription = {
/** The team. */
team_id: string
/** Its name. */
team_name: string
/** When I subscribed. */
created_at: string
}
export type ResetPasswordRequest = {
/** The token of the link in the e-mail. */
token: string
/** 10 to 128 characters. Must not contain the e-mail address or be a common password. */
new_password: string
}
/** How long old rows stay before they are deleted. */
export type Retention = {
/** Days for which entries of the audit log stay. Default 730. */
audit_log_days: number
/** Days for which notifications and their deliveries stay. Default 180. */
notification_days: number
/** Days for which the messages of an AI session stay after its last activity, once it has ended. Default 730. */
ai_message_days: number
/** Days for which completed and abandoned sessions stay; null, the default, keeps them. */
session_days: (number | null)
}
/** How long old rows stay. Rows that are older are deleted within minutes, for good. */
export type RetentionUpdate = {
/** Days for which entries of the audit log stay. Default 730. */
audit_log_days?: number | undefined
/** Days for which notifications and their deliveries stay. Default 180. */
notification_days?: number | undefined
/** Days for which the messages of an AI session stay after its last activity, once it has ended. Default 730. */
ai_message_days?: number | undefined
/** Days for which completed and abandoned sessions stay; null, the default, keeps them. */
session_days?: (number | null) | undefined
}
/** The role of the new member. */
export type Role = ('viewer' | 'engineer' | 'admin')
/** `created`: the run created its sessions. `failed`: it could not create them. `missed`: it did not start, because a later run replaced it or the schedule was paused. */
export type RunStatus = ('created' | 'failed' | 'missed')
/** Whether the schedule or a user started it. */
export type RunTrigger = ('scheduled' | 'manual')
export type RunnerAgent = {
/** Id at the runner. */
id: string
/** Host name. */
name: string
/** Name of its client. */
client: string
/** Name of its site. */
site: string
/** Its platform, such as `windows`, `linux` or `darwin`. */
platform: string
/** Whether the runner reaches it. */
is_online: boolean
/** When the runner last heard of it. */
last_seen: (Timestamp | null)
}
export type RunnerAgentList = {
/** The first 100 by name. */
agents: (RunnerAgent)[]
/** How many match. */
total: number
}
export type RunnerConnectionPut = {
provider: RunnerProvider
/** Base URL of the API of the runner. */
base_url: string
/** The API key, whose role lists clients, agents and their history, runs scripts and manages them. It is never returned. */
api_key?: string | undefined
}
export type RunnerConnectionResponse = {
provider: RunnerProvider
/** Base URL of the API of the runner. */
base_url: string
/** When the key was last checked. */
last_checked_at: (Timestamp | null)
/** Why that check failed; null when it succeeded. */
last_check_error: (string | null)
created_at: Timestamp
/** When the connection was last changed. */
updated_at: string
}
export type RunnerConnectionTest = {
/** Whether the runner accepted the key. */
success: boolean
/** The result as a sentence. */
message: string
}
/** The runner: Tactical RMM. */
export type RunnerProvider = 'tactical_rmm'
export type RunnerRun = {
id: Id
/** The session, or the AI session, in which it runs. */
session_id: string
/** The name of the script template. */
title: string
/** The script template; it may be deleted by now. */
script_template_id: string
/** The version of the template that runs. */
script_version: number
/** The approval of the script; null for a script of low risk. */
approval_id: (Id | null)
/** Id of the machine at the runner. */
agent_id: string
/** Host name of the machine; null before the start. */
target: (string | null)
/** How long the script may take. */
time_limit_seconds: number
state: RunnerRunState
/** Why it failed or is unknown. */
error: (string | null)
/** The script run with its exit code and output, once it is finished or unknown. */
script_run_id: (Id | null)
/** When the runner was asked to start it. */
started_at: (Timestamp | null)
/** When its state became final. */
finished_at: (Timestamp | null)
/** The user who started it. */
requested_by: string
created_at: Timestamp
}
export type RunnerRunCreate = {
/** The script template. The service renders it; no other text can be run. */
script_template_id: string
/** Values by parameter name. */
parameters?: { [key: string]: unknown } | undefined
/** Id of the machine at the runner. */
agent_id: string
/** How long the script may take, at most 15 minutes. */
time_limit_seconds?: number | undefined
}
/** `failed`: the script did not start. `unknown`: nobody knows whether it started, or how it ended; it is not repeated. Look at the machine before you start it again. */
export type RunnerRunState = ('queued' | 'running' | 'finished' | 'failed' | 'unknown' | 'cancelled')
export type SalesLeadCreate = {
/** The e-mail address to reply to. */
email: string
/** The name of the person. */
name: string
/** The company. */
company: string
source: SalesLeadSource
/** A message to sales. */
message?: string | undefined
/** A phone number to call back. */
phone?: string | undefined
/** How many people would use the service. */
seats?: number | undefined
}
export type SalesLeadCreateResponse = {
id: Id
/** When the lead was received. */
received_at: string
}
export type SalesLeadResponse = {
id: Id
/** The e-mail address to reply to. */
email: string
/** The name of the person. */
name: string
/** The company. */
company: string
source: SalesLeadSource
/** The message, if any. */
message: (string | null)
/** The phone number, if any. */
phone: (string | null)
/** How many people would use the service. */
seats: (number | null)
/** When the lead was received. */
received_at: string
}
/** Where the lead came from. */
export type SalesLeadSource = ('pricing_page' | 'contact_form' | 'landing_page' | 'demo_request' | 'referral')
export type ScriptApprovalRequest = {
/** A session in progress that I may change. */
session_id: string
/** Values by parameter name, as for the rendering. */
parameters?: { [key: string]: unknown } | undefined
/** What the approvers should know. */
comment?: string | undefined
}
export type ScriptBuilderCreate = {
origin: ScriptBuilderOrigin
/** An AI session of mine, for origin `pilot_inline`. */
ai_session_id?: string | undefined
language?: ScriptLanguage | undefined
/** Title of the session. */
title?: string | undefined
}
export type ScriptBuilderListItem = {
id: Id
/** The user who started it. */
user_id: string
origin: ScriptBuilderOrigin
/** The AI session that it is part of. */
ai_session_id: (Id | null)
language: ScriptLanguage
/** Title of the session. */
title: string
/** Number of messages of the user and the model. */
message_count: number
created_at: Timestamp
/** When the model last replied; at first, when the session was created. */
updated_at: string
}
/** The reply of the model. */
export type ScriptBuilderMessage = {
id: Id
/** The sender of the message. */
role: MessageRole
/** Text of the message; markdown if the model wrote it. */
content: string
created_at: Timestamp
}
/** `standalone`: independent of other sessions. `pilot_inline`: part of an AI session. */
export type ScriptBuilderOrigin = ('standalone' | 'pilot_inline')
export type ScriptBuilderOriginFilter = ('standalone' | 'pilot_inline' | 'all')
export type ScriptBuilderReply = {
message: ScriptBuilderMessage
/** The script, if this reply wrote or changed it. */
script?: string | undefined
/** The parameters of the script; present with `script`. */
parameters_schema?: ScriptParameters | undefined
}
export type ScriptBuilderRequest = {
/** What the script must do, or what to change. */
message: string
}
export type ScriptBuilderSave = {
/** Name of the script in the library. */
name: string
/** Its category. */
category_id?: string | undefined
/** What the script does. */
description?: string | undefined
/** Replaces the script of the session. */
script_body?: string | undefined
/** Replaces the parameters of the session. */
parameters_schema?: ScriptParameters | undefined
}
export type ScriptBuilderSession = (ScriptBuilderListItem & {
/** The current script with its placeholders; null before there is one. */
script_body: (string | null)
parameters_schema: ScriptParameters
/** The messages in order. */
messages: (ScriptBuilderMessage)[]
})
export type ScriptCategoryCreate = {
/** Unique in the account, ignoring case. */
name: string
}
export type ScriptCategoryResponse = {
id: Id
/** Unique in the account, ignoring case. */
name: string
/** Number of its scripts that I can see. */
count: number
created_at: Timestamp
}
export type ScriptGenerateRequest = {
/** Values by parameter name. */
parameters?: { [key: string]: unknown } | undefined
/** A session that I may change. Its answers, secret ones included, fill the parameters of the same name that have no value. Required for a script of medium or high risk, with these values. */
session_id?: string | undefined
}
export type ScriptGenerateResponse = {
/** The script with every value as a literal of its language. */
script: string
language: ScriptLanguage
/** Whether it needs administrator rights. */
requires_elevation: boolean
/** What to consider before running the script. */
warnings: (string)[]
/** Suggested file name. */
filename: string
}
/** The language of the script. */
export type ScriptLanguage = ('powershell' | 'bash' | 'python')
export type ScriptParameter = {
/** The name of the parameter in the script. */
name: string
/** The name of the parameter that people see. */
label: string
type: ScriptParameterType
/** Whether a value is required. An optional parameter without a value and without a default is empty. */
required?: boolean | undefined
/** The default value. */
default?: ((string | number | boolean) | null) | undefined
/** The allowed values of a `choice`. */
choices?: ((string)[] | null) | undefined
/** A regular expression that the whole value must match. */
pattern?: (string | null) | undefined
/** The minimum number, or the minimum length of a text. */
min?: (number | null) | undefined
/** The maximum number, or the maximum length of a text. */
max?: (number | null) | undefined
}
/** The type of the value. */
export type ScriptParameterType = ('string' | 'int' | 'bool' | 'choice' | 'password' | 'path' | 'hostname')
/** The parameters of the script. */
export type ScriptParameters = (ScriptParameter)[]
/** How much harm the script can do. `medium` and `high`: it is rendered only in a session, after an approval. A lower risk than that of its content is raised to it. */
export type ScriptRisk = ('low' | 'medium' | 'high')
export type ScriptRiskReason = {
/** The line of the script. */
line: number
risk: ScriptRisk
/** What the script can do there. */
reason: string
}
export type ScriptRun = {
id: Id
/** The session, or the AI session, in which it ran. */
session_id: string
/** The step of the flow; null in an AI session. */
step_id: (string | null)
/** The name of the script. Secret answers of the session are `[secret]`. */
title: string
/** The script template that was run; it may be deleted by now. */
script_template_id: (Id | null)
/** The version that the template had. */
script_version: (number | null)
/** The text that was run; null for a template. Secret answers of the session are `[secret]`. */
script: (string | null)
/** The approval of the script. */
approval_id: (Id | null)
/** The machine. Secret answers of the session are `[secret]`. */
target: string
/** The exit code; null when it is not known. */
exit_code: (number | null)
/** What it printed. Secret answers of the session are `[secret]`. */
output: string
started_at: Timestamp
ended_at: Timestamp
/** The user who recorded it. */
run_by: string
/** The name of that user. */
run_by_name: (string | null)
created_at: Timestamp
}
export type ScriptRunCreate = {
/** The name of the script. By default that of the template, or its first line. */
title?: string | undefined
/** The script template that was run. */
script_template_id?: string | undefined
/** The text that was run, if it is no template. */
script?: string | undefined
/** The machine. */
target: string
/** The exit code; null when it is not known. */
exit_code?: (number | null) | undefined
/** What it printed, at most 64 KB. Colours, control characters and characters that hide or reverse text are removed. */
output?: string | undefined
/** When it started. */
started_at: string
/** When it ended. */
ended_at: string
/** The step of the flow. */
step_id?: string | undefined
/** The approval of the template’s script, which was granted in this session. */
approval_id?: string | undefined
}
/** How it ended. */
export type ScriptRunEventState = ('finished' | 'failed' | 'unknown')
/** Its JSON. */
export type ScriptRunFinishedEvent = {
/** Id of the run at the runner. */
run_id: string
/** The session, or the AI session. */
session_id: string
/** The user who started it. */
user_id: string
state: ScriptRunEventState
/** The script run with its output; null for one that did not start. */
script_run_id: (Id | null)
}
export type ScriptTemplateCreate = {
/** Name of the template. */
name: string
/** What the script does. */
description?: string | undefined
/** The script. `{{ name }}` and `{{ name | filter }}` are replaced with the values of parameters, `{{! text }}` with the literal text `{{ text }}`. */
script_body: string
parameters_schema?: ScriptParameters | undefined
language: ScriptLanguage
/** Whether it needs administrator rights. Always true for a script that asks for them. */
requires_elevation?: boolean | undefined
risk?: ScriptRisk | undefined
/** Its category; null for none. */
category_id?: (Id | null) | undefined
}
export type ScriptTemplateListItem = {
id: Id
/** Name of the template. */
name: string
/** Unique identifier in URLs. It does not change when the template is renamed. */
slug: string
/** What the script does. */
description: string
parameters_schema: ScriptParameters
language: ScriptLanguage
/** Whether it needs administrator rights. */
requires_elevation: boolean
risk: ScriptRisk
/** Its category. */
category_id: (Id | null)
/** The category’s name. */
category: (string | null)
/** Whether the whole account can see the template. Otherwise only its creator, its team and account admins can. */
is_shared: boolean
/** Whether staff featured it in the public gallery. */
is_gallery_featured: boolean
/** Position in the gallery; smaller values first. */
gallery_sort_order: number
/** The AI session that the script came from. */
source_session_id: (Id | null)
/** The user who proposed the script as a template. */
source_user_id: (Id | null)
/** The ticket of that session. */
source_ticket_ref: (string | null)
/** The team it belongs to. */
team_id: (Id | null)
/** The account it belongs to; the platform account for templates that ship with the service. */
account_id: string
/** Increases with every save. */
version: number
/** The user who created it. */
created_by: string
created_at: Timestamp
/** When it was last saved. */
updated_at: string
}
export type ScriptTemplateResponse = (ScriptTemplateListItem & {
/** Why the script has at least its risk, or needs administrator rights: at most 20 reasons. Empty when its content gives none. */
risk_reasons: (ScriptRiskReason)[]
/** The script, with its placeholders. */
script_body: string
})
export type ScriptTemplateShare = {
/** `false` limits the template to its creator, its team and account admins. */
is_shared?: boolean | undefined
}
export type ScriptTemplateUpdate = {
/** Name of the template. */
name?: string | undefined
/** What the script does. */
description?: string | undefined
/** The script. `{{ name }}` and `{{ name | filter }}` are replaced with the values of parameters, `{{! text }}` with the literal text `{{ text }}`. */
script_body?: string | undefined
parameters_schema?: ScriptParameters | undefined
language?: ScriptLanguage | undefined
/** Whether it needs administrator rights. Always true for a script that asks for them. */
requires_elevation?: boolean | undefined
risk?: ScriptRisk | undefined
/** Its category; null for none. */
category_id?: (Id | null) | undefined
expected_version?: ExpectedVersion | undefined
}
export type ScriptVersionListItem = {
/** Version number, starting at 1. */
version: number
/** The name in this version. */
name: string
/** The user who saved this version; null if it was not recorded. */
saved_by: (Id | null)
/** The name of that user. */
saved_by_name: (string | null)
/** The older version that was restored as this one; null for any other save. */
restored_from: (number | null)
/** Whether this is the current version. */
is_current: boolean
/** When it was saved. */
created_at: string
}
export type ScriptVersionResponse = (DiagramVersionListItem & {
/** What the script does. */
description: string
/** The script, with its placeholders. */
script_body: string
parameters_schema: ScriptParameters
language: ScriptLanguage
/** Whether it needs administrator rights. */
requires_elevation: boolean
})
export type SearchResult = {
type: SearchType
/** Id of what was found. A step has the id of its flow. */
id: string
/** The step in its flow. Null for other types. */
step_id: (string | null)
/** Its name. For a session, the name of its flow. */
title: MarkedText
/** The part of its text around the first word. Empty without a text. */
snippet: MarkedText
/** Higher is better. Comparable within one answer only. */
score: number
/** The flow that it is, belongs to, ran or became. */
tree_id: (Id | null)
/** The name of that flow, of a step or a session. */
tree_name: (string | null)
/** The ticket of a session or AI session. */
ticket_number: (string | null)
/** The client of a session, AI session or diagram. */
client_name: (string | null)
/** When it last changed. For a session, when it was completed, started or created. */
updated_at: string
}
export type SearchResults = {
/** The best results first. */
results: (SearchResult)[]
}
/** What was found. */
export type SearchType = ('flow' | 'step' | 'library_step' | 'script' | 'session' | 'ai_session' | 'article' | 'diagram')
export type SessionChanges = {
id: Id
state: SessionState
/** Outcome of the session; null until it is completed. */
outcome: (SessionOutcome | null)
/** The step to answer next; null before the start and at the end. */
current_step_id: (string | null)
/** The current step with its placeholders filled; null when there is none. */
current_step: (SessionCurrentStep | null)
/** The closing text of a procedure as soon as no step is left; otherwise null. */
procedure_end: ({
/** Id in the flow. */
id: string
/** Title, with placeholders filled. */
title: string
/** Markdown, with placeholders filled. Values are escaped. */
description: string
/** The section headers directly before the end. */
section_headers: (SessionStepText)[]
} | null)
/** When the user is reminded of the current step; null without a running timer. */
timer_due_at: (Timestamp | null)
/** The open session of a sub-flow that this session waits for. */
subflow_session_id: (Id | null)
progress: SessionProgress
/** The newest answer; null before the first one. */
decision: (SessionDecision | null)
/** The newest fallback step; null before the first one. */
fallback_decision: (FallbackStepRecord | null)
}
export type SessionCloseResponse = {
session_id: Id
/** Colleagues who view or edit it now. Returned only by changes, and only if there are any. */
also_here?: (PresentColleague)[] | undefined
status: AiSessionStatus
/** Id of the new handoff, if there is one. */
handoff_id: (Id | null)
/** The documentation of the case; empty when none was written. The note on the ticket is cut to 30,000 characters. */
documentation: string
psa_push: DocumentationPushState
/** Number of people who were notified. */
notified: number
/** The minutes from start to resolution, rounded up by the rule of the connection and at most 24 hours; null unless resolved. */
proposed_minutes: (number | null)
}
export type SessionComplete = {
outcome: SessionOutcome
/** Notes about the session; by default unchanged. */
notes?: string | undefined
/** What remains to be done; by default unchanged. */
next_steps?: string | undefined
}
export type SessionCurrentStep = {
/** Id of the step. */
id: string
/** `decision`, `action`, `solution` or `procedure_step`. */
type: string
/** What to do or find out, with placeholders filled. */
title: string
/** How to do it, in markdown, with placeholders filled. Values are escaped. */
description: string
/** The choices of a decision. */
options: ({
/** Id of the option. */
id: string
/** Text of the option. */
label: string
})[]
/** What to try when the step fails. */
fallback_steps: (SessionStepText)[]
/** The section headers directly before the step. */
section_headers: (SessionStepText)[]
/** Title of the section that the step belongs to. */
section_title: (string | null)
/** Label of the group that the step belongs to. */
group_label: (string | null)
/** Estimated duration in minutes. */
estimated_minutes: (number | null)
/** A script template to run at this point. */
script_template_id: (string | null)
/** The flow to run at this point, with `POST /sessions/{session_id}/subflows`. */
subflow: (Subflow | null)
/** Links to helpful documents. */
attachments: (FlowAttachment)[]
/** What an answer must provide. */
evidence: (EvidenceRequirement)[]
/** When the user of the session is reminded of the step. */
timer: (StepTimer | null)
/** Who must approve the step before its answer counts. */
approval: (ApprovalRequirement | null)
}
export type SessionCustomStep = {
id: Id
source: CustomStepSource
/** The step that it followed. */
after_step_id: string
/** What was done. */
title: string
/** How it was done, in markdown. */
description: string
/** The library step it was taken from. */
library_step_id: (Id | null)
/** The flow it was taken from. */
tree_id: (Id | null)
/** The node or step of that flow. */
node_id: (string | null)
created_at: Timestamp
}
export type SessionCustomStepCreate = {
source: CustomStepSource
/** The step of the flow that it followed; by default the current step or, at the end of the flow, the last answered one. */
after_step_id?: string | undefined
/** What was done; by default the title of the library step or node. */
title?: string | undefined
/** How it was done, in markdown; by default the description of the library step or node. */
description?: string | undefined
/** The library step, for source `step-library`. */
library_step_id?: string | undefined
/** The flow that it comes from, for source `forked-tree`. */
tree_id?: string | undefined
/** The node or step of that flow, for source `forked-tree`. */
node_id?: string | undefined
}
export type SessionDecision = {
/** The step that was answered. */
step_id: string
/** The chosen option of a decision. */
option_id: (string | null)
/** The result of any other step. */
outcome: (StepOutcome | null)
/** Note of the technician. */
note: (string | null)
/** Start of the step: the value in the request, by default the previous answer or session start. */
started_at: string
/** Step duration: the value in the request, by default the time from its start to the answer. */
duration_seconds: number
/** When it was answered. */
decided_at: string
/** The evidence that was provided. A required note is in `note`. */
evidence: (SessionEvidence)[]
/** The section headers directly before the step. */
section_headers: (SessionStepText)[]
}
export type SessionDecisionCreate = {
/** The step to answer; it must be the current one. */
step_id: string
/** The chosen option of a decision. */
option_id?: string | undefined
/** The result of any other step. */
outcome?: StepOutcome | undefined
/** Note of the technician. */
note?: string | undefined
/** When work on the step started; by default when the previous step was answered or the session started. */
started_at?: string | undefined
/** Duration of the step; by default the time until now. */
duration_seconds?: number | undefined
/** The evidence that the step requires, by its key. A screenshot is the id of an upload. */
evidence?: { [key: string]: (string | number | boolean) } | undefined
/** A fallback step that was used. Without `option_id` or `outcome`, the current step stays. */
fallback?: {
/** One of the step’s fallback steps. */
fallback_step_id: string
outcome: StepOutcome
/** Note of the technician. */
note?: string | undefined
} | undefined
}
export type SessionEvidence = {
/** The key of the requirement. */
key: string
type: ProvidedEvidenceType
/** What was required. */
label: string
/** The value; null for a screenshot. */
value: (string | number | boolean | null)
/** The upload of a screenshot. */
upload_id: (Id | null)
}
export type SessionListItem = {
id: Id
account_id: Id
/** The team of the user who created it. */
team_id: (Id | null)
/** The user who runs it. */
user_id: string
/** The name of that user. */
user_name: (string | null)
/** The flow. It may have been changed or deleted since. */
tree_id: string
state: SessionState
/** The ticket it is for. */
ticket_number: (string | null)
/** The client it is for. */
client_name: (string | null)
/** Outcome of the session; null until it is completed. */
outcome: (SessionOutcome | null)
/** The batch that it belongs to. */
batch_id: (Id | null)
/** The target it is run on. */
target_label: (string | null)
/** The step to answer next; null before the start and at the end. */
current_step_id: (string | null)
/** The session that runs this one as a sub-flow. */
parent_session_id: (Id | null)
/** The step of that session that runs this one. */
parent_step_id: (string | null)
/** The open session of a sub-flow that this session waits for. */
subflow_session_id: (Id | null)
progress: SessionProgress
/** When it was first exported after its completion. */
exported_at: (Timestamp | null)
/** When it was started; null while it is prepared. */
started_at: (Timestamp | null)
/** When it was completed. */
completed_at: (Timestamp | null)
created_at: Timestamp
/** The version of the flow that the session runs. */
tree_snapshot: {
/** Name of the flow. */
name: string
/** Purpose of the flow. */
description: string
/** Name of its category. */
category: (string | null)
/** The version that the session runs. */
version: number
tree_type: FlowType
}
}
/** Outcome of the session. */
export type SessionOutcome = ('resolved' | 'unresolved' | 'escalated' | 'cancelled')
export type SessionPrepare = {
/** A published flow that I can see. */
tree_id: string
/** The ticket it is for. */
ticket_number?: string | undefined
/** The client it is for. */
client_name?: string | undefined
variables?: SessionVariables | undefined
/** The target that it will be run on. */
target_label?: string | undefined
}
/** Progress of the session. */
export type SessionProgress = {
/** Number of answered steps. */
answered: number
/** Number of steps. For a tree: the answered steps plus the longest remaining path, so it falls when an answer leaves a longer path. */
total: number
/** 0 to 100; 100 when every step is answered, and for a completed session. It never falls from one answer to the next. */
percent: number
}
export type SessionPush = {
/** Whether the note is hidden from the client. */
internal?: boolean | undefined
/** Whether the ticketing system also mails the note to the contact of the ticket. Only for a note that the client sees. */
notify?: boolean | undefined
}
export type SessionRatingPut = {
/** Satisfaction of the client; 5 is the best. */
score: number
/** Comment of the client. */
comment?: string | undefined
}
export type SessionRatingResponse = {
/** Satisfaction of the client, from 1 to 5. */
score: number
/** Comment of the client. */
comment: (string | null)
/** The user who entered the rating. */
rated_by: string
/** The name of that user. */
rated_by_name: (string | null)
/** When the rating was entered. */
rated_at: string
}
export type SessionResponse = {
id: Id
account_id: Id
/** The team of the user who created it. */
team_id: (Id | null)
/** The user who runs it. */
user_id: string
/** The name of that user. */
user_name: (string | null)
/** The flow. It may have been changed or deleted since. */
tree_id: string
state: SessionState
/** The ticket it is for. */
ticket_number: (string | null)
/** The client it is for. */
client_name: (string | null)
/** Outcome of the session; null until it is completed. */
outcome: (SessionOutcome | null)
/** The batch that it belongs to. */
batch_id: (Id | null)
/** The target it is run on. */
target_label: (string | null)
/** The step to answer next; null before the start and at the end. */
current_step_id: (string | null)
/** The session that runs this one as a sub-flow. */
parent_session_id: (Id | null)
/** The step of that session that runs this one. */
parent_step_id: (string | null)
/** The open session of a sub-flow that this session waits for. */
subflow_session_id: (Id | null)
progress: SessionProgress
/** When it was first exported after its completion. */
exported_at: (Timestamp | null)
/** When it was started; null while it is prepared. */
started_at: (Timestamp | null)
/** When it was completed. */
completed_at: (Timestamp | null)
created_at: Timestamp
/** Colleagues who view or edit it now. Returned only by changes, and only if there are any. */
also_here?: (PresentColleague)[] | undefined
/** The version of the flow that the session runs. */
tree_snapshot: {
/** Name of the flow. */
name: string
/** Purpose of the flow. */
description: string
/** Name of its category. */
category: (string | null)
/** The version that the session runs. */
version: number
tree_type: FlowType
/** The root node or the steps of the flow, with unfilled placeholders. */
tree_structure: TreeStructure
intake_form: IntakeForm
}
/** Values for the placeholders in the texts. A secret field shows `{"secret": true, "set": …}` only. */
variables: { [key: string]: JsonValue }
/** The current step with its placeholders filled; null when there is none. */
current_step: (SessionCurrentStep | null)
/** The closing text of a procedure as soon as no step is left; otherwise null. */
procedure_end: ({
/** Id in the flow. */
id: string
/** Title, with placeholders filled. */
title: string
/** Markdown, with placeholders filled. Values are escaped. */
description: string
/** The section headers directly before the end. */
section_headers: (SessionStepText)[]
} | null)
/** When the user is reminded of the current step; null without a running timer. */
timer_due_at: (Timestamp | null)
/** The answers so far, in order. */
decisions: (SessionDecision)[]
/** The fallback steps that were used. */
fallback_decisions: (FallbackStepRecord)[]
/** Steps that were done and are not part of the flow. */
custom_steps: (SessionCustomStep)[]
/** Notes about the session. */
notes: (string | null)
/** What remains to be done. */
next_steps: (string | null)
}
export type SessionSaveAsTree = {
/** Name of the new flow. */
name: string
/** Purpose of the new flow; by default that of the session’s flow. */
description?: string | undefined
}
export type SessionStart = {
/** A published flow that I can see. */
tree_id: string
/** The ticket it is for. */
ticket_number?: string | undefined
/** The client it is for. */
client_name?: string | undefined
variables?: SessionVariables | undefined
}
/** `prepared`: stored to start later. `in_progress`: running. `completed`: finished with an outcome. `abandoned`: ended without one. */
export type SessionState = ('prepared' | 'in_progress' | 'completed' | 'abandoned')
export type SessionStepText = {
/** Id in the flow. */
id: string
/** Title, with placeholders filled. */
title: string
/** Markdown, with placeholders filled. Values are escaped. */
description: string
}
export type SessionUpdate = {
/** The ticket it is for; null for none. */
ticket_number?: (string | null) | undefined
/** The client it is for; null for none. */
client_name?: (string | null) | undefined
/** Notes about the session. */
notes?: (string | null) | undefined
/** What remains to be done. */
next_steps?: (string | null) | undefined
/** Abandons a session that is prepared or in progress. */
state?: 'abandoned' | undefined
}
/** Answers to the intake form by key, and other values for the placeholders in the texts. At most 200 keys and 64 KB. */
export type SessionVariables = { [key: string]: JsonValue }
/** All current variables of the session. A secret field shows `{"secret": true, "set": …}` only. */
export type SessionVariablesResponse = { [key: string]: JsonValue }
/** Variables to set; null removes a variable. All others are kept, also a secret field sent back as it was read. */
export type SessionVariablesUpdate = SessionVariables
/** Number of sessions completed with each outcome. */
export type SessionsByOutcome = {
/** Number of sessions that are resolved. */
resolved: number
/** Number of sessions that are unresolved. */
unresolved: number
/** Number of sessions that are escalated. */
escalated: number
/** Number of sessions that are cancelled. */
cancelled: number
}
/** Number of sessions in each state. */
export type SessionsByState = {
/** Number of sessions that are prepared. */
prepared: number
/** Number of sessions that are in_progress. */
in_progress: number
/** Number of sessions that are completed. */
completed: number
/** Number of sessions that are abandoned. */
abandoned: number
}
export type ShareCreate = {
/** Days until the link expires. */
expires_in_days?: number | undefined
}
export type ShareListItem = {
id: Id
/** The user who created the link. */
created_by: (Id | null)
/** The name of that user. */
created_by_name: (string | null)
/** When the link expires. */
expires_at: string
created_at: Timestamp
}
export type ShareResponse = {
id: Id
/** Opens the flow without sign-in. Only this response contains the token, because the service stores only its hash. */
token: string
/** The link to share. */
url: string
expires_at: Timestamp
}
export type SharedFlowResponse = (FlowDraft & {
/** When the link expires. */
expires_at: string
})
export type ShiftHandover = {
/** When the shift began. */
since: string
/** Now. */
until: string
/** The time zone of the times in `summary`. */
timezone: string
/** The handover in words: an overview, each case, what was promised, and who is on call. */
summary: ({
/** A sentence for people. */
text: string
/** The case, or the schedule, in the frontend. */
url: (string | null)
})[]
/** Open cases, those that wait for a colleague first: at most 50. */
cases: (HandoverCase)[]
/** Whether there are more. */
has_more_cases: boolean
/** AI sessions that were resolved since. */
resolved_count: number
/** What clients were told, and what waits: at most 20 of each kind. */
promises: (HandoverPromise)[]
/** Who is on call, by schedule. */
on_call: (HandoverDuty)[]
}
export type SignInResponse = (TokenResponse | MfaRequiredResponse)
export type SignedInDevice = {
id: Id
/** The User-Agent header of the device. */
user_agent: string
/** The IP address of the sign-in. */
ip: string
/** Time of the sign-in. */
created_at: string
/** When the tokens of the sign-in were last refreshed. */
last_used_at: string
/** Whether this request uses this sign-in. */
current: boolean
}
export type StatusUpdate = {
/** The status of the case. It is not stored. */
text: string
}
/** `ticket_notes`: colleagues. `client_update`: the client. `email_draft`: the client, as an e-mail. */
export type StatusUpdateAudience = ('ticket_notes' | 'client_update' | 'email_draft')
export type StatusUpdateCreate = {
audience: StatusUpdateAudience
length: StatusUpdateLength
}
/** `quick`: a few sentences. `detailed`: the whole case. */
export type StatusUpdateLength = ('quick' | 'detailed')
export type StepAnalytics = {
/** The id of the step. */
step_id: string
/** The current title of the step; its id if the flow no longer has it. */
title: string
/** Sessions that reached the step. */
visits: number
/** Sessions abandoned at this step, completed at it without being resolved, or left at it for a day. */
drop_offs: number
/** Median time until the step was answered; null if it never was. */
median_seconds: (number | null)
/** Number of "helpful" votes. */
thumbs_up: number
/** Number of "not helpful" votes. */
thumbs_down: number
}
export type StepFeedbackPut = {
/** Whether the step helped. */
helpful: boolean
/** What could be better. */
comment?: string | undefined
}
export type StepFeedbackResponse = {
/** The rated step. */
step_id: string
/** The user who rated it. */
user_id: string
/** Whether the step helped. */
helpful: boolean
/** What could be better. */
comment: (string | null)
/** When it was rated. */
given_at: string
}
/** Result of the step. */
export type StepOutcome = ('done' | 'skipped' | 'failed')
/** When the user of the session is reminded of the step, unless it was answered or the session has ended. */
export type StepTimer = ({
/** Minutes from the arrival at the step. */
minutes: number
} | {
/** The next such time of day in the time zone of the session’s user. */
until: string
})
export type StepUpRequest = {
/** The code of the authenticator app, or a recovery code. */
code?: string | undefined
passkey?: PasskeyCredential | undefined
}
export type StreamTicketResponse = {
/** For `?ticket=` of the stream. Works once. */
ticket: string
/** Seconds until the ticket expires. */
expires_in: number
}
/** Runs another flow at this step. */
export type Subflow = {
/** The flow to run. Its current version is used when it starts. */
tree_id: string
/** Variables of the sub-flow. `{{key}}` is replaced by a variable of this flow. A single placeholder keeps the type of its value. */
inputs?: ({ [key: string]: string } | null) | undefined
/** Variables of this flow, each with the variable of the sub-flow that sets it. */
outputs?: ({ [key: string]: string } | null) | undefined
/** For a decision: the id of the option that each outcome of the sub-flow chooses. */
options?: ({
/** The option for `resolved`. */
resolved?: (string | null) | undefined
/** The option for `unresolved`. */
unresolved?: (string | null) | undefined
/** The option for `escalated`. */
escalated?: (string | null) | undefined
/** The option for `cancelled`. */
cancelled?: (string | null) | undefined
} | null) | undefined
}
export type SubflowStart = {
/** Variables of the sub-flow. They override those that the step passes. */
variables?: SessionVariables | undefined
}
export type SubscriptionResponse = {
/** The current plan; `free` after a trial has expired. */
plan: string
status: SubscriptionStatus
/** Whether the account is blocked until it pays: `past_due` for more than 7 days, `unpaid` or `canceled`. */
is_lapsed: boolean
/** When the trial ends or ended. */
trial_ends_at: (Timestamp | null)
/** Since when a payment is overdue. */
past_due_since: (Timestamp | null)
/** When the paid period ends; null before the first payment. */
current_period_end: (Timestamp | null)
/** When the subscription will end, because that was planned in the portal; null while it renews. */
cancel_at: (Timestamp | null)
/** Whether the subscription ends with the period that is paid. */
cancel_at_period_end: boolean
/** Further subscriptions of the account that are not canceled, the newest first. It pays for each of them. */
other_subscriptions: (OtherSubscription)[]
/** Seats of the plan; null for no limit. */
seats: (number | null)
/** Active members. */
seats_used: number
/** The monthly AI quota. */
ai_builds: {
/** AI builds used this month. */
used: number
/** AI builds per month of the plan; null for no limit. */
limit: (number | null)
/** When the next month of the quota starts, counted from the billing cycle anchor. */
resets_at: string
}
/** Whether the account has a billing portal. */
has_billing_customer: boolean
/** Names my account to the provider: the `client_reference_id` of a checkout. */
checkout_reference: string
}
/** The current state of the subscription. */
export type SubscriptionStatus = ('trialing' | 'free' | 'active' | 'past_due' | 'unpaid' | 'canceled')
/** The fix that the model suggests. */
export type SuggestedFix = {
id: Id
/** Id of the AI session. */
session_id: string
/** The fix in one line. */
title: string
/** What to do, as markdown. */
description: string
kind: FixKind
/** Id of the script template. */
script_template_id: (Id | null)
status: FixStatus
/** When it was first applied. */
applied_at: (Timestamp | null)
/** When its success or failure was recorded. */
verified_at: (Timestamp | null)
/** What helped, for a partial outcome. */
partial_notes: (string | null)
/** What the fix waits for, for a pending outcome. */
pending_reason: (string | null)
/** Why it failed. */
failure_reason: (string | null)
/** A script that applies the fix. */
ai_drafted_script: (string | null)
/** The parameters of the script, in the format of a template’s `parameters_schema`. */
ai_drafted_parameters: (JsonValue)[]
/** The outcome that the model proposes. The technician decides on it. */
ai_outcome_proposal: ({
outcome: ProposedFixOutcome
/** The words from which the model derives it. */
reason: string
created_at: Timestamp
} | null)
created_at: Timestamp
}
export type SuperAdminUpdate = {
/** Whether this user is staff of the platform. */
is_super_admin?: boolean | undefined
}
export type SupportingDataCreate = {
kind: SupportingDataKind
/** Title of the item. */
title: string
/** The text, or a comment on the screenshot. */
content?: string | undefined
/** The uploaded image of a screenshot. */
upload_id?: string | undefined
/** The step of the flow that it belongs to. */
step_id?: string | undefined
}
/** `text`: a text. `screenshot`: a screenshot, whose image may be uploaded later. */
export type SupportingDataKind = ('text' | 'screenshot')
export type SupportingDataResponse = {
id: Id
/** The session that it belongs to. */
session_id: string
kind: SupportingDataKind
/** Title of the item. */
title: string
/** The text, or a comment on the screenshot. */
content: (string | null)
/** The uploaded image of a screenshot. */
upload_id: (Id | null)
/** The step of the flow that it belongs to. */
step_id: (string | null)
/** The user who added it. */
created_by: string
/** The name of that user. */
created_by_name: (string | null)
created_at: Timestamp
/** When it last changed. */
updated_at: string
}
export type SupportingDataUpdate = {
/** Title of the item. */
title?: string | undefined
/** The text, or a comment on the screenshot. Null removes a comment; a text must keep its content. */
content?: (string | null) | undefined
/** The uploaded image of a screenshot; null removes it. */
upload_id?: (string | null) | undefined
/** The step of the flow that it belongs to; null for none. */
step_id?: (string | null) | undefined
}
export type TagResponse = {
/** The tag in its most frequent spelling. */
tag: string
/** Number of visible flows with this tag, ignoring case. */
count: number
}
export type TargetListCreate = {
/** Name of the list. */
name: string
/** Purpose of the list. */
description?: string | undefined
/** The targets that flows are run on, 1 to 500. */
targets: (BatchTarget)[]
}
export type TargetListItem = {
id: Id
/** The account it belongs to. */
account_id: string
/** The team it belongs to. */
team_id: (Id | null)
/** Name of the list. */
name: string
/** Purpose of the list. */
description: string
/** Increases with every save. */
version: number
/** The user who created it. */
created_by: string
created_at: Timestamp
/** When it was last saved. */
updated_at: string
/** Number of targets in the list. */
target_count: number
}
export type TargetListResponse = {
id: Id
/** The account it belongs to. */
account_id: string
/** The team it belongs to. */
team_id: (Id | null)
/** Name of the list. */
name: string
/** Purpose of the list. */
description: string
/** Increases with every save. */
version: number
/** The user who created it. */
created_by: string
created_at: Timestamp
/** When it was last saved. */
updated_at: string
/** The targets that flows are run on, 1 to 500. */
targets: (BatchTarget)[]
}
export type TargetListUpdate = {
/** Name of the list. */
name?: string | undefined
/** Purpose of the list. */
description?: string | undefined
/** The targets that flows are run on, 1 to 500. */
targets?: (BatchTarget)[] | undefined
expected_version?: ExpectedVersion | undefined
}
export type TaskLane = {
/** At most 50. */
questions: ({
id: TaskLaneItemId
/** What to find out. */
text: string
/** Whether the question is answered. */
answered?: boolean | undefined
})[]
/** At most 50. */
actions: ({
id: TaskLaneItemId
/** What to do. */
text: string
/** Whether the action is done. */
done?: boolean | undefined
})[]
/** At most 100. */
responses: ({
id: TaskLaneItemId
/** The question it answers. */
question_id?: string | undefined
/** The action it reports on. */
action_id?: string | undefined
/** The response. */
text: string
})[]
}
/** Id of the item. The API client chooses it, or the service for items that the model adds. */
export type TaskLaneItemId = string
export type TaskLanePut = {
/** At most 50. */
questions: ({
id: TaskLaneItemId
/** What to find out. */
text: string
/** Whether the question is answered. */
answered?: boolean | undefined
})[]
/** At most 50. */
actions: ({
id: TaskLaneItemId
/** What to do. */
text: string
/** Whether the action is done. */
done?: boolean | undefined
})[]
/** At most 100. */
responses: ({
id: TaskLaneItemId
/** The question it answers. */
question_id?: string | undefined
/** The action it reports on. */
action_id?: string | undefined
/** The response. */
text: string
})[]
expected_version?: ExpectedVersion | undefined
}
export type TaskLaneWithVersion = {
/** At most 50. */
questions: ({
id: TaskLaneItemId
/** What to find out. */
text: string
/** Whether the question is answered. */
answered?: boolean | undefined
})[]
/** At most 50. */
actions: ({
id: TaskLaneItemId
/** What to do. */
text: string
/** Whether the action is done. */
done?: boolean | undefined
})[]
/** At most 100. */
responses: ({
id: TaskLaneItemId
/** The question it answers. */
question_id?: string | undefined
/** The action it reports on. */
action_id?: string | undefined
/** The response. */
text: string
})[]
/** Increases with every save. */
version: number
}
export type TeamAnalyticsResponse = (MyAnalyticsResponse & {
/** Every user with a session in the period, most sessions first. */
by_user: ({
/** The user. */
user_id: string
/** The name of the user. */
name: string
/** Sessions that the user started in the period. */
sessions: number
/** The share of the sessions completed in the period that was resolved. */
resolution_rate: (number | null)
/** Median time from start to completion of those sessions. */
median_minutes: (number | null)
})[]
})
export type TeamCreate = {
/** The name that members see. */
name: string
}
export type TeamMembership = {
team_role?: TeamRole | undefined
}
export type TeamResponse = {
id: Id
/** The account of the team. */
account_id: string
/** The name that members see. */
name: string
/** The IANA time zone of its weekly report; null for that of the account. */
timezone: (string | null)
/** The local time of its daily message `handover.due`, such as `07:30`; null for none. */
handover_time: (string | null)
/** Active members. */
member_count: number
created_at: Timestamp
}
/** The role of a user in the team. */
export type TeamRole = ('member' | 'admin')
export type TeamUpdate = {
/** The name that members see. */
name?: string | undefined
/** The IANA time zone of its weekly report; null for that of the account. */
timezone?: (string | null) | undefined
/** The local time of its daily message `handover.due`; null for none. */
handover_time?: (string | null) | undefined
}
export type TextPart = {
op: TextPartOp
/** The part. All parts in their order contain both texts. */
text: string
}
/** Whether the part is in both texts, only in the older or only in the newer one. */
export type TextPartOp = ('equal' | 'delete' | 'insert')
/** Its JSON. */
export type TicketChangedEvent = {
/** Id of the ticket in the ticketing system. */
ticket_id: string
/** Its status; null if the ticket was deleted. */
status: (string | null)
/** Whether it is closed or deleted. */
is_closed: boolean
/** Id of the ticket that is left when it was merged; its maintenance schedules now have that. */
merged_into: (string | null)
/** Sessions of the ticket that are prepared or in progress, at most 50. */
sessions: ({
/** Id of the session. */
session_id: string
/** The user of the session. */
user_id: string
})[]
/** Maintenance schedules of the ticket that its closing has paused. */
paused_schedule_ids: (Id)[]
}
export type TicketContextPart = ('company' | 'contact' | 'configurations' | 'notes' | 'related_tickets')
/** RFC 3339, UTC, with milliseconds. */
export type Timestamp = string
export type TokenResponse = {
/** A JWT. Send it as `Authorization: Bearer`. */
access_token: string
/** An opaque token. It can be used once, within 30 days. */
refresh_token: string
/** Always `bearer`. */
token_type: 'bearer'
/** Seconds until the access token expires. */
expires_in: number
user: UserResponse
/** After a sign-in with a password: proves later that this device was used before. */
device_token?: string | undefined
}
export type TotpSecretResponse = {
/** The secret in base32. It is not shown again. */
secret: string
/** The same for a QR code. */
otpauth_url: string
}
export type TotpVerifyRequest = {
/** The code of the authenticator app. */
code: string
}
export type TreeCreate = {
tree_type: FlowType
status?: FlowStatus | undefined
visibility?: FlowVisibility | undefined
/** `true` sets visibility `public`; `false` changes a public flow to visibility `team`. */
is_public?: boolean | undefined
/** Name of the flow. */
name: string
/** Purpose of the flow, in markdown. */
description?: string | undefined
/** A category by its name; null for none. A category that the account does not have is created. */
category?: (string | null) | undefined
/** A category by its id. Cannot be combined with `category`. */
category_id?: (Id | null) | undefined
/** Search keywords. Duplicates are removed, ignoring case. */
tags?: (string)[] | undefined
/** The root node of a troubleshooting flow, or the steps of another flow. Null for a draft without steps. */
tree_structure?: (TreeStructure | null) | undefined
intake_form?: IntakeForm | undefined
}
export type TreeListItem = {
id: Id
/** The account it belongs to; the platform account for flows that ship with the service. */
account_id: string
/** The team it belongs to. */
team_id: (Id | null)
/** The user who created it. */
author_id: string
/** The name of the author. */
author_name: (string | null)
tree_type: FlowType
status: FlowStatus
visibility: FlowVisibility
/** Whether its visibility is `public`. */
is_public: boolean
/** Name of the flow. */
name: string
/** Purpose of the flow, in markdown. */
description: string
/** Its category. */
category_id: (Id | null)
/** The category’s name. */
category: (string | null)
/** Search keywords. */
tags: (string)[]
/** Incremented by each save. */
version: number
/** Number of sessions started with it. */
usage_count: number
/** The flow it was forked from. */
parent_tree_id: (Id | null)
/** The original flow, from which the chain of forks starts. */
root_tree_id: (Id | null)
/** Number of forks from the original flow to this one; 0 unless it is a fork. */
fork_depth: number
/** Why it was forked. */
fork_reason: (string | null)
/** Origin of an imported flow. */
import_metadata: ({ [key: string]: unknown } | null)
/** Whether I pinned it. */
is_pinned: boolean
created_at: Timestamp
/** When it was last saved. */
updated_at: string
/** When it was first published. */
published_at: (Timestamp | null)
/** Null unless it is a fork. */
fork_info: ({
/** The flow it was forked from. */
parent_id: string
/** Name of that flow; null if I cannot see the flow. */
parent_name: (string | null)
/** The original flow, from which the chain of forks starts. */
root_id: string
/** Number of forks from the original flow to this one. */
depth: number
/** Why it was forked. */
reason: (string | null)
} | null)
}
export type TreeResponse = {
id: Id
/** The account it belongs to; the platform account for flows that ship with the service. */
account_id: string
/** The team it belongs to. */
team_id: (Id | null)
/** The user who created it. */
author_id: string
/** The name of the author. */
author_name: (string | null)
tree_type: FlowType
status: FlowStatus
visibility: FlowVisibility
/** Whether its visibility is `public`. */
is_public: boolean
/** Name of the flow. */
name: string
/** Purpose of the flow, in markdown. */
description: string
/** Its category. */
category_id: (Id | null)
/** The category’s name. */
category: (string | null)
/** Search keywords. */
tags: (string)[]
/** Incremented by each save. */
version: number
/** Number of sessions started with it. */
usage_count: number
/** The flow it was forked from. */
parent_tree_id: (Id | null)
/** The original flow, from which the chain of forks starts. */
root_tree_id: (Id | null)
/** Number of forks from the original flow to this one; 0 unless it is a fork. */
fork_depth: number
/** Why it was forked. */
fork_reason: (string | null)
/** Origin of an imported flow. */
import_metadata: ({ [key: string]: unknown } | null)
/** Whether I pinned it. */
is_pinned: boolean
created_at: Timestamp
/** When it was last saved. */
updated_at: string
/** When it was first published. */
published_at: (Timestamp | null)
/** The root node of a troubleshooting flow, or the steps of another flow. Null for a draft without steps. */
tree_structure: (TreeStructure | null)
intake_form: IntakeForm
/** Colleagues who view or edit it now. Returned only by changes, and only if there are any. */
also_here?: (PresentColleague)[] | undefined
}
/** The root node of a troubleshooting flow, or the steps of a procedural or maintenance flow. */
export type TreeStructure = (FlowSteps | FlowNode)
export type TreeUpdate = {
tree_type?: FlowType | undefined
status?: FlowStatus | undefined
visibility?: FlowVisibility | undefined
/** `true` sets visibility `public`; `false` changes a public flow to visibility `team`. */
is_public?: boolean | undefined
/** Name of the flow. */
name?: string | undefined
/** Purpose of the flow, in markdown. */
description?: string | undefined
/** A category by its name; null for none. A category that the account does not have is created. */
category?: (string | null) | undefined
/** A category by its id. Cannot be combined with `category`. */
category_id?: (Id | null) | undefined
/** Search keywords. Duplicates are removed, ignoring case. */
tags?: (string)[] | undefined
/** The root node of a troubleshooting flow, or the steps of another flow. Null for a draft without steps. */
tree_structure?: (TreeStructure | null) | undefined
intake_form?: IntakeForm | undefined
expected_version?: ExpectedVersion | undefined
}
export type TreeVersionListItem = (DiagramVersionListItem & {
/** Status of the flow in this version. */
status: FlowStatus
})
export type TreeVersionResponse = (TreeVersionListItem & {
/** Purpose of the flow in this version. */
description: string
/** Name of the category of the flow in this version. */
category: (string | null)
tree_type: FlowType
/** The root node of a troubleshooting flow, or the steps of another flow. Null for a draft without steps. */
tree_structure: (TreeStructure | null)
intake_form: IntakeForm
})
export type TriagePatch = {
/** The client’s company. */
client_name?: (string | null) | undefined
/** The affected machine or device. */
asset_name?: (string | null) | undefined
/** The category of the problem. */
issue_category?: (string | null) | undefined
/** The most likely cause. */
triage_hypothesis?: (string | null) | undefined
/** All evidence, in order. Items left out are deleted. Items that stay keep their source and time. */
evidence_items?: (string)[] | undefined
}
export type TrialExtension = {
/** By how many days to extend the trial, from now if it has ended. */
days: number
}
export type UnreadCountResponse = {
/** Number of my unread notifications. */
count: number
}
export type UploadResponse = {
id: Id
/** Every image is stored as a JPEG. */
content_type: 'image/jpeg'
/** Width in pixels, at most 1568. */
width: number
/** Height in pixels, at most 1568. */
height: number
/** Size of the stored file in bytes. */
size: number
created_at: Timestamp
}
/** How soon an engineer must look at it. */
export type Urgency = ('low' | 'normal' | 'high' | 'critical')
export type UserDeletion = {
/** My e-mail address, as a confirmation. */
email: string
/** My password; required if I have one. */
password?: string | undefined
}
/** A user. */
export type UserResponse = {
id: Id
/** The e-mail address that this user signs in with. */
email: string
/** The name that colleagues see. */
full_name: string
/** The account of this user. A user belongs to exactly one. */
account_id: string
/** The name of that account. */
account_name: string
/** The role of a user in the account. */
role: Role
/** The team, if any. */
team_id: (Id | null)
/** The role in the team; null without a team. */
team_role: (TeamRole | null)
/** Whether this user is staff of the platform. */
is_super_admin: boolean
/** Whether the e-mail address is verified. */
email_verified: boolean
/** Whether the user must change the password before anything else. */
must_change_password: boolean
/** IANA time zone. */
timezone: string
created_at: Timestamp
/** Time of the last sign-in. */
last_login_at: (Timestamp | null)
}
export type VerifyEmailRequest = {
/** The token of the link in the e-mail. */
token: string
}
export type VersionComparison = {
/** The older version; 0 for an empty one. */
base: number
/** The newer version. */
version: number
/** The changed fields. */
fields: (FieldChange)[]
/** Changed, moved and added items in the order of the newer version, then removed items. */
items: (ItemChange)[]
}
export type WebhookCreate = {
/** Absolute https address without credentials on a public host. */
url: string
/** The events that are sent, each at most once. */
events: (WebhookEvent)[]
/** A note for people. */
description?: string | undefined
}
export type WebhookDelivery = {
id: Id
/** Id of the webhook. */
webhook_id: string
/** The header `webhook-id`. It stays the same in every attempt and replay. */
message_id: string
type: WebhookMessageType
/** The state of the delivery. `failed` is final until it is replayed. */
state: DeliveryState
/** Number of attempts so far. */
attempts: number
/** The exact body of the request. */
request_body: string
/** The HTTP status of the last attempt; null without a response. */
last_status_code: (number | null)
/** The first 2,048 bytes of the last response, masked. */
response_body: (string | null)
/** Why the last attempt failed. */
last_error: (string | null)
/** How long the last attempt took. */
duration_ms: (number | null)
/** When the last attempt ended. */
last_attempt_at: (Timestamp | null)
/** When the next attempt is due; null when there is none. */
next_attempt_at: (Timestamp | null)
/** When the receiver accepted it. */
delivered_at: (Timestamp | null)
created_at: Timestamp
}
export type WebhookDisabledReason = ('gone' | 'failing')
/** The kind of event. */
export type WebhookEvent = ('flow.published' | 'schedule.run' | 'session.completed' | 'session.escalated' | 'escalation.reminded' | 'escalation.unreached' | 'escalation.acknowledged' | 'handoff.claimed' | 'handoff.assessment_ready' | 'proposal.submitted' | 'proposal.approved' | 'proposal.rejected' | 'approval.requested' | 'approval.decided' | 'approval.expired' | 'session.timer_due' | 'handover.due' | 'maintenance.batch_created' | 'maintenance.run_failed' | 'psa.push_failed' | 'channel.disconnected' | 'oncall.overridden' | 'member.joined')
/** The kind of event. */
export type WebhookMessageType = ('flow.published' | 'schedule.run' | 'session.completed' | 'session.escalated' | 'escalation.reminded' | 'escalation.unreached' | 'escalation.acknowledged' | 'handoff.claimed' | 'handoff.assessment_ready' | 'proposal.submitted' | 'proposal.approved' | 'proposal.rejected' | 'approval.requested' | 'approval.decided' | 'approval.expired' | 'session.timer_due' | 'handover.due' | 'maintenance.batch_created' | 'maintenance.run_failed' | 'psa.push_failed' | 'channel.disconnected' | 'oncall.overridden' | 'member.joined' | 'webhook.test')
export type WebhookReplay = {
/** Replay this delivery, delivered or failed. */
delivery_id?: string | undefined
/** Replay every failed delivery of an event since this time. */
failed_since?: string | undefined
}
export type WebhookReplayResult = {
/** Deliveries that are sent again. Not those that are open or were replayed in the last 10 seconds. */
queued: number
}
export type WebhookResponse = {
id: Id
/** Where the messages are sent. */
url: string
/** A note for people. */
description: string
/** The events that are sent. */
events: (WebhookEvent)[]
/** Whether messages are sent. Events that happen while it is off are not sent later. */
is_active: boolean
/** Why the service switched it off. `gone`: the receiver returned 410. `failing`: no success for five days. */
disabled_reason: (WebhookDisabledReason | null)
/** Failed attempts since the last success. */
failures: number
/** The first of these failures. */
failing_since: (Timestamp | null)
/** Until then the secret before the last rotation also signs. */
previous_secret_until: (Timestamp | null)
created_at: Timestamp
updated_at: Timestamp
}
export type WebhookTestResult = {
/** Whether the receiver accepted the message. */
success: boolean
/** The result as a sentence. */
message: string
/** The HTTP status; null without a response. */
status: (number | null)
/** How long the attempt took. */
duration_ms: (number | null)
}
export type WebhookUpdate = {
/** Absolute https address without credentials on a public host. */
url?: string | undefined
/** The events that are sent, each at most once. */
events?: (WebhookEvent)[] | undefined
/** A note for people. */
description?: string | undefined
/** `false` fails the open deliveries. `true` starts again without the failures so far. */
is_active?: boolean | undefined
}
export type WebhookWithSecret = (WebhookResponse & {
/** The signing secret, `whsec_…`. It is shown only once. */
secret: string
})
/** Day of the week. */
export type Weekday = ('sunday' | 'monday' | 'tuesday' | 'wednesday' | 'thursday' | 'friday' | 'saturday')
export type WeeklyFlowResult = {
/** The flow. */
tree_id: string
/** The name of the flow when it was last used. */
name: string
/** Its sessions that were completed in the week. */
completed: number
/** Those of them that were resolved. */
resolved: number
}
export type WeeklyReport = {
/** The report in sentences, also of a week in which nothing happened. */
summary: (string)[]
/** The team. */
team: {
id: Id
/** The name of the team. */
name: string
}
/** The week of ISO 8601. */
week: string
/** The time zone of the team, or else of the account. */
timezone: string
/** The Monday. */
starts_on: string
/** The Sunday. */
ends_on: string
/** Sessions of flows. */
sessions: {
/** Sessions that were started in the week. */
started: number
/** Sessions that were completed in the week. */
completed: number
/** Those with the outcome `resolved`. */
resolved: number
/** Those with the outcome `escalated`. */
escalated: number
}
/** AI sessions. */
ai_sessions: {
/** AI sessions that were started in the week. */
started: number
/** AI sessions that were resolved in the week. */
resolved: number
/** Escalations of AI sessions in the week. */
escalated: number
}
/** How long escalations waited. */
time_to_claim: {
/** Escalations of the week that were claimed. */
claimed: number
/** Escalations of the week that nobody has claimed. */
unclaimed: number
/** Median time from the escalation to its claim; null without any. */
median_seconds: (number | null)
/** 90th percentile; null without any. */
p90_seconds: (number | null)
}
/** Up to 5 flows with at least 3 completed sessions, of which 70 % or more were resolved. The most resolved first. */
helpful_flows: (WeeklyFlowResult)[]
/** Up to 5 flows with at least 3 completed sessions, of which less than half were resolved. The fewest resolved first. */
unhelpful_flows: (WeeklyFlowResult)[]
/** The seven days, sessions of flows and AI sessions together. */
by_day: ({
/** The day. */
date: string
day: Weekday
/** Sessions that were started that day. */
started: number
/** Sessions that were resolved that day. */
resolved: number
})[]
/** The 24 hours of the day. */
by_hour: ({
/** The local hour of the day. */
hour: number
/** Sessions that were started in that hour of any day. */
started: number
})[]
/** Up to 3 hours of the week, the busiest first. */
busiest_hours: ({
day: Weekday
/** The local hour of the day. */
hour: number
/** Sessions that were started in that hour. */
started: number
})[]
/** The week before, sessions of flows and AI sessions together. */
previous: {
/** Sessions that were started. */
started: number
/** Sessions that were resolved. */
resolved: number
/** Sessions that were escalated. */
escalated: number
/** Median time from an escalation to its claim; null without any. */
median_seconds: (number | null)
}
/** What was open at the end of the week, of those that were started within 90 days. */
open: {
/** Sessions of flows. */
sessions: number
/** AI sessions. */
ai_sessions: number
}
/** What waited for whom at the end of the week. */
waiting: ({
waits_for: WeeklyReportWait
/** How many waited. */
count: number
/** For how long the oldest had waited. */
longest_seconds: number
})[]
/** Up to 5 flows with at least 3 completed sessions, the slowest first. */
slow_flows: ({
/** The flow. */
tree_id: string
/** The name of the flow when it was last used. */
name: string
/** Its sessions that were completed in the week. */
completed: number
/** Median time from their start to their completion. */
median_seconds: number
})[]
/** Up to 5 flows with at least 3 sessions that were started and none that was completed. */
unfinished_flows: ({
/** The flow. */
tree_id: string
/** The name of the flow when it was last used. */
name: string
/** Its sessions that were started in the week. */
started: number
})[]
}
export type WeeklyReportFormat = ('json' | 'html' | 'pdf' | 'csv')
/** `colleague`: an escalation for its claim. `claimant`: for the pick-up. `approver`: a request for its decision. */
export type WeeklyReportWait = ('colleague' | 'claimant' | 'approver')
export type WeeklyRotation = {
/** Each member is on call for a week. */
kind: 'weekly'
/** Rotations of different layers apply side by side; the highest with somebody on duty counts. 1 if absent. */
layer?: number | undefined
/** The hours on duty, such as business hours, nights or weekends. Outside of them a lower layer applies. Always if absent. */
hours?: (OnCallHours)[] | undefined
hours_zone?: OnCallHoursZone | undefined
/** Ids of the users, in the order of their turns. */
members: (string)[]
/** When a turn ends and the next begins, in the time zone of the schedule. */
handoff_time: string
/** The first day. The rotation begins on it at `handoff_time`. */
starts_on: string
/** The day on which a turn ends and the next begins. */
handoff_day: Weekday
}

/** Shorter names of the types above. The API's paths say `tree` for a flow. */
export type {
AISessionDetail as AISession,
AccountResponse as Account,
AdminAccountResponse as AdminAccount,
AdminUserDetailResponse as AdminUserDetail,
AdminUserResponse as AdminUser,
ApprovalResponse as Approval,
BatchProgressResponse as BatchProgress,
BatchResponse as Batch,
BetaFeedbackResponse as BetaFeedback,
BrandingResponse as Branding,
CanPublishResponse as CanPublish,
CategoryResponse as Category,
DeviceTypeResponse as DeviceType,
DiagramVersionResponse as DiagramVersion,
DraftTemplateResponse as DraftTemplate,
EmailChangeResponse as EmailChange,
EscalationAnalyticsResponse as EscalationAnalytics,
EscalationPolicyResponse as EscalationPolicy,
FeatureFlagResponse as FeatureFlag,
FeatureFlagsResponse as FeatureFlags,
FeatureOverrideResponse as FeatureOverride,
FeedbackResponse as Feedback,
FlowImportResponse as FlowImport,
GuidedResponse as Guided,
InviteLookupResponse as InviteLookup,
InviteResponse as Invite,
KbImportResponse as KbImport,
LibraryStepResponse as LibraryStep,
MailPreferencesResponse as MailPreferences,
MarkdownValidateResponse as MarkdownValidate,
MeResponse as Me,
MemberResponse as Member,
MfaRequiredResponse as MfaRequired,
MfaResponse as Mfa,
MyAnalyticsResponse as MyAnalytics,
NetworkDiagramResponse as NetworkDiagram,
NewPlatformInviteCodeResponse as NewPlatformInviteCode,
NotificationConfigResponse as NotificationConfig,
NotificationResponse as Notification,
NotificationTestResponse as NotificationTest,
OAuthAuthorizationResponse as OAuthAuthorization,
OnCallOverrideResponse as OnCallOverride,
OnCallScheduleResponse as OnCallSchedule,
OnboardingStatusResponse as OnboardingStatus,
PasskeyResponse as Passkey,
PlanLimitsResponse as PlanLimits,
PlatformInviteCodeResponse as PlatformInviteCode,
PresenceResponse as Presence,
PsaConnectionResponse as PsaConnection,
PublicConfigResponse as PublicConfig,
PublicPlanResponse as PublicPlan,
RecoveryCodesResponse as RecoveryCodes,
RunnerConnectionResponse as RunnerConnection,
SalesLeadResponse as SalesLead,
ScriptCategoryResponse as ScriptCategory,
ScriptGenerateResponse as ScriptGenerate,
ScriptTemplateResponse as ScriptTemplate,
ScriptVersionResponse as ScriptVersion,
SessionCloseResponse as SessionClose,
SessionRatingResponse as SessionRating,
SessionResponse as Session,
ShareResponse as Share,
SharedFlowResponse as SharedFlow,
SignInResponse as SignIn,
StepFeedbackResponse as StepFeedback,
StreamTicketResponse as StreamTicket,
SubscriptionResponse as Subscription,
SupportingDataResponse as SupportingData,
TagResponse as Tag,
TargetListResponse as TargetList,
TeamAnalyticsResponse as TeamAnalytics,
TeamResponse as Team,
TokenResponse as Token,
TotpSecretResponse as TotpSecret,
TreeCreate as FlowCreate,
TreeListItem as FlowListItem,
TreeResponse as Flow,
TreeStructure as FlowStructure,
TreeUpdate as FlowUpdate,
TreeVersionListItem as FlowVersionListItem,
TreeVersionResponse as FlowVersion,
UnreadCountResponse as UnreadCount,
UploadResponse as Upload,
UserResponse as User,
WebhookResponse as Webhook,
}

export type OperationId = keyof Operations

/** Input, result and error codes of every operation. */
export interface Operations {
  'public.listPlans': { input: Record<string, never>; output: (PublicPlanResponse)[]; code: never }
  'public.getConfig': { input: Record<string, never>; output: PublicConfigResponse; code: never }
  'public.createLead': { input: (SalesLeadCreate); output: SalesLeadCreateResponse; code: never }
  'identity.auth.register': { input: (RegisterRequest); output: TokenResponse; code: 'email_taken' | 'invite_code_invalid' | 'invite_code_required' | 'invite_email_mismatch' | 'invite_invalid_or_expired_or_revoked' | 'seat_limit_reached' }
  'identity.auth.login': { input: (LoginRequest); output: SignInResponse; code: 'sign_in_locked' }
  'identity.auth.refresh': { input: (RefreshRequest); output: TokenResponse; code: 'refresh_token_reused' }
  'identity.auth.logout': { input: (RefreshRequest); output: undefined; code: never }
  'identity.auth.getMe': { input: Record<string, never>; output: MeResponse; code: never }
  'identity.auth.updateMe': { input: (ProfileUpdate); output: UserResponse; code: never }
  'identity.auth.deleteMe': { input: (UserDeletion); output: undefined; code: 'last_admin' | 'last_super_admin' | 'step_up_required' | 'wrong_password' }
  'identity.auth.getFeatureFlags': { input: Record<string, never>; output: FeatureFlagsResponse; code: 'mfa_setup_required' | 'password_change_required' }
  'identity.oauth.authorize': { input: { /** The identity provider. */
provider: IdentityProvider }; output: OAuthAuthorizationResponse; code: 'oauth_provider_error' }
  'identity.oauth.completeSignIn': { input: { /** The identity provider. */
provider: IdentityProvider } & (OAuthCallbackPayload); output: SignInResponse; code: 'email_taken' | 'invite_code_required' | 'invite_email_mismatch' | 'invite_invalid_or_expired_or_revoked' | 'oauth_email_missing' | 'oauth_email_unverified' | 'oauth_provider_error' | 'oauth_refused' | 'oauth_state_invalid' | 'seat_limit_reached' | 'user_deactivated' }
  'identity.identities.list': { input: Record<string, never>; output: (LinkedIdentity)[]; code: 'mfa_setup_required' | 'password_change_required' }
  'identity.identities.startLink': { input: { /** The identity provider. */
provider: IdentityProvider }; output: OAuthAuthorizationResponse; code: 'mfa_setup_required' | 'oauth_provider_error' | 'password_change_required' | 'step_up_required' }
  'identity.identities.finishLink': { input: { /** The identity provider. */
provider: IdentityProvider } & (LinkCallback); output: LinkedIdentity; code: 'identity_taken' | 'mfa_setup_required' | 'oauth_provider_error' | 'oauth_refused' | 'oauth_state_invalid' | 'password_change_required' | 'provider_linked' | 'step_up_required' }
  'identity.identities.unlink': { input: { /** The identity provider. */
provider: IdentityProvider }; output: undefined; code: 'last_sign_in_method' | 'mfa_setup_required' | 'password_change_required' | 'step_up_required' }
  'identity.credentials.changePassword': { input: (ChangePasswordRequest); output: undefined; code: 'no_password' | 'stale_version' | 'step_up_required' | 'wrong_password' }
  'identity.credentials.requestPasswordReset': { input: (ForgotPasswordRequest); output: undefined; code: 'mail_not_configured' }
  'identity.credentials.resetPassword': { input: (ResetPasswordRequest); output: undefined; code: 'token_invalid_or_expired' }
  'identity.credentials.verifyEmail': { input: (VerifyEmailRequest); output: undefined; code: 'token_invalid_or_expired' }
  'identity.credentials.resendVerification': { input: Record<string, never>; output: undefined; code: 'mail_not_configured' | 'mfa_setup_required' | 'password_change_required' }
  'identity.emailChanges.create': { input: (EmailChangeCreate); output: EmailChangeResponse; code: 'mail_not_configured' | 'mfa_setup_required' | 'password_change_required' | 'step_up_required' | 'wrong_password' }
  'identity.emailChanges.get': { input: Record<string, never>; output: EmailChangeResponse; code: 'mfa_setup_required' | 'password_change_required' }
  'identity.emailChanges.cancel': { input: Record<string, never>; output: undefined; code: 'mfa_setup_required' | 'password_change_required' }
  'identity.emailChanges.confirm': { input: (EmailChangeConfirmation); output: undefined; code: 'email_taken' | 'token_invalid_or_expired' }
  'identity.signIns.list': { input: Record<string, never>; output: (SignedInDevice)[]; code: 'mfa_setup_required' | 'password_change_required' }
  'identity.signIns.revoke': { input: { /** Id of the sign-in. */
family_id: string }; output: undefined; code: 'mfa_setup_required' | 'password_change_required' }
  'identity.signIns.revokeAll': { input: Record<string, never>; output: undefined; code: 'mfa_setup_required' | 'password_change_required' }
  'identity.consents.getClient': { input: { /** The `client_id` of the program. */
client_id: string }; output: OAuthClient; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'identity.consents.create': { input: (ConsentCreate); output: Consent; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'step_up_required' | 'subscription_lapsed' }
  'identity.streamTickets.create': { input: Record<string, never>; output: StreamTicketResponse; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'identity.mfa.get': { input: Record<string, never>; output: MfaResponse; code: 'password_change_required' }
  'identity.mfa.createTotp': { input: Record<string, never>; output: TotpSecretResponse; code: 'mfa_already_enabled' | 'password_change_required' | 'step_up_required' }
  'identity.mfa.verifyTotp': { input: (TotpVerifyRequest); output: RecoveryCodesResponse; code: 'mfa_already_enabled' | 'mfa_code_invalid' | 'mfa_not_enabled' | 'password_change_required' | 'step_up_required' }
  'identity.mfa.deleteTotp': { input: Record<string, never>; output: undefined; code: 'mfa_not_enabled' | 'password_change_required' | 'step_up_required' }
  'identity.mfa.replaceRecoveryCodes': { input: Record<string, never>; output: RecoveryCodesResponse; code: 'mfa_not_enabled' | 'password_change_required' | 'step_up_required' }
  'identity.mfa.completeChallenge': { input: (MfaChallengeRequest); output: TokenResponse; code: 'mfa_code_invalid' | 'mfa_token_invalid' | 'passkey_invalid' | 'sign_in_locked' }
  'identity.mfa.stepUp': { input: (StepUpRequest); output: undefined; code: 'mfa_code_invalid' | 'mfa_not_enabled' | 'passkey_invalid' | 'sign_in_locked' }
  'identity.passkeys.list': { input: Record<string, never>; output: (PasskeyResponse)[]; code: 'password_change_required' }
  'identity.passkeys.startRegistration': { input: Record<string, never>; output: PasskeyOptions; code: 'limit_reached' | 'password_change_required' | 'step_up_required' }
  'identity.passkeys.finishRegistration': { input: (PasskeyCreate); output: PasskeyCreateResponse; code: 'passkey_invalid' | 'password_change_required' | 'step_up_required' }
  'identity.passkeys.rename': { input: { /** Id of the passkey. */
passkey_id: string } & (PasskeyUpdate); output: PasskeyResponse; code: 'password_change_required' }
  'identity.passkeys.delete': { input: { /** Id of the passkey. */
passkey_id: string }; output: undefined; code: 'last_sign_in_method' | 'password_change_required' | 'step_up_required' }
  'identity.passkeys.startSignIn': { input: Record<string, never>; output: PasskeyOptions; code: never }
  'identity.passkeys.signIn': { input: (PasskeySignInRequest); output: TokenResponse; code: 'passkey_invalid' }
  'accounts.onboarding.getStatus': { input: Record<string, never>; output: OnboardingStatusResponse; code: 'mfa_setup_required' | 'password_change_required' }
  'accounts.onboarding.completeStep': { input: (OnboardingStepUpdate); output: OnboardingStatusResponse; code: 'mfa_setup_required' | 'onboarding_step_passed' | 'password_change_required' }
  'accounts.onboarding.dismissRest': { input: Record<string, never>; output: OnboardingStatusResponse; code: 'idempotency_key_in_use' | 'mfa_setup_required' | 'password_change_required' }
  'accounts.get': { input: Record<string, never>; output: AccountResponse; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'accounts.update': { input: (AccountUpdate); output: AccountResponse; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'step_up_required' | 'subscription_lapsed' }
  'accounts.delete': { input: (AccountDeletion); output: AccountResponse; code: 'mfa_setup_required' | 'password_change_required' | 'step_up_required' }
  'accounts.restore': { input: Record<string, never>; output: AccountResponse; code: 'idempotency_key_in_use' | 'mfa_setup_required' | 'password_change_required' }
  'accounts.getUsage': { input: Record<string, never>; output: AccountUsage; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'accounts.getPreferences': { input: Record<string, never>; output: AccountPreferences; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'accounts.updatePreferences': { input: (AccountPreferencesUpdate); output: AccountPreferences; code: 'account_admin_required' | 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'accounts.listMembers': { input: { /** Number of items to skip. */
skip?: number | undefined; /** Maximum number of items. */
limit?: number | undefined; /** The item after which the page starts, as the `Link` of the page before gives it. */
after?: string | undefined }; output: (MemberResponse)[]; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'accounts.updateMember': { input: { /** Id of the member. */
user_id: string } & (MemberUpdate); output: MemberResponse; code: 'email_not_verified' | 'last_admin' | 'last_super_admin' | 'mfa_setup_required' | 'password_change_required' | 'seat_limit_reached' | 'step_up_required' | 'subscription_lapsed' }
  'accounts.removeMember': { input: { /** Id of the member. */
user_id: string }; output: undefined; code: 'email_not_verified' | 'last_admin' | 'last_super_admin' | 'mfa_setup_required' | 'password_change_required' | 'step_up_required' | 'subscription_lapsed' }
  'accounts.resetMemberMfa': { input: { /** Id of the member. */
user_id: string }; output: undefined; code: 'email_not_verified' | 'mfa_not_enabled' | 'mfa_setup_required' | 'password_change_required' | 'step_up_required' | 'subscription_lapsed' }
  'accounts.endEmailProblem': { input: { /** Id of the member. */
user_id: string }; output: undefined; code: 'email_complaint' | 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'accounts.listAuditLog': { input: { /** Number of items to skip. */
skip?: number | undefined; /** Maximum number of items. */
limit?: number | undefined; /** The item after which the page starts, as the `Link` of the page before gives it. */
after?: string | undefined }; output: (AuditLogEntry)[]; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'accounts.exports.create': { input: (AccountExportCreate); output: AccountExport; code: 'already_pending' | 'idempotency_key_in_use' | 'mfa_setup_required' | 'password_change_required' | 'step_up_required' }
  'accounts.exports.list': { input: { /** Number of items to skip. */
skip?: number | undefined; /** Maximum number of items. */
limit?: number | undefined; /** The item after which the page starts, as the `Link` of the page before gives it. */
after?: string | undefined }; output: (AccountExport)[]; code: 'mfa_setup_required' | 'password_change_required' }
  'accounts.exports.get': { input: { /** Id of the export. */
export_id: string }; output: AccountExport; code: 'mfa_setup_required' | 'password_change_required' }
  'accounts.exports.createLink': { input: { /** Id of the export. */
export_id: string }; output: AccountExportLink; code: 'mfa_setup_required' | 'password_change_required' | 'step_up_required' | 'wrong_state' }
  'accounts.exports.download': { input: { /** The token of a download link. */
token: string }; output: File; code: never }
  'accounts.imports.create': { input: (FileInput); output: AccountImport; code: 'account_not_empty' | 'already_pending' | 'email_not_verified' | 'idempotency_key_in_use' | 'mfa_setup_required' | 'password_change_required' | 'step_up_required' | 'subscription_lapsed' | 'unsupported_version' }
  'accounts.imports.get': { input: { /** Id of the import. */
import_id: string }; output: AccountImport; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'accounts.invites.list': { input: { /** Number of items to skip. */
skip?: number | undefined; /** Maximum number of items. */
limit?: number | undefined; /** The item after which the page starts, as the `Link` of the page before gives it. */
after?: string | undefined }; output: (InviteResponse)[]; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'accounts.invites.create': { input: (InviteCreate); output: InviteResponse; code: 'already_member' | 'already_pending' | 'email_not_verified' | 'idempotency_key_in_use' | 'limit_reached' | 'mail_not_configured' | 'mfa_setup_required' | 'password_change_required' | 'seat_limit_reached' | 'step_up_required' | 'subscription_lapsed' }
  'accounts.invites.revoke': { input: { /** Id of the invite. */
invite_id: string }; output: undefined; code: 'email_not_verified' | 'invite_closed' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'accounts.invites.resend': { input: { /** Id of the invite. */
invite_id: string }; output: undefined; code: 'email_not_verified' | 'idempotency_key_in_use' | 'invite_closed' | 'limit_reached' | 'mail_not_configured' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'accounts.invites.lookUp': { input: { /** The code of the link in the e-mail. */
code: string }; output: InviteLookupResponse; code: 'invite_invalid_or_expired_or_revoked' }
  'accounts.teams.list': { input: { /** Number of items to skip. */
skip?: number | undefined; /** Maximum number of items. */
limit?: number | undefined; /** The item after which the page starts, as the `Link` of the page before gives it. */
after?: string | undefined }; output: (TeamResponse)[]; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'accounts.teams.create': { input: (TeamCreate); output: TeamResponse; code: 'email_not_verified' | 'idempotency_key_in_use' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'accounts.teams.rename': { input: { /** Id of the team. */
team_id: string } & (TeamUpdate); output: TeamResponse; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'accounts.teams.delete': { input: { /** Id of the team. */
team_id: string }; output: undefined; code: 'email_not_verified' | 'in_use' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'accounts.teams.assignMember': { input: { /** Id of the team. */
team_id: string; /** Id of the member. */
user_id: string } & (TeamMembership); output: MemberResponse; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'step_up_required' | 'subscription_lapsed' }
  'accounts.teams.getBranding': { input: { /** Id of the team. */
team_id: string }; output: BrandingResponse; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'accounts.teams.updateBranding': { input: { /** Id of the team. */
team_id: string } & (BrandingUpdate); output: BrandingResponse; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'accounts.teams.resetBranding': { input: { /** Id of the team. */
team_id: string }; output: undefined; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'accounts.apiKeys.list': { input: { /** Number of items to skip. */
skip?: number | undefined; /** Maximum number of items. */
limit?: number | undefined; /** The item after which the page starts, as the `Link` of the page before gives it. */
after?: string | undefined }; output: (ApiKey)[]; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'accounts.apiKeys.create': { input: (ApiKeyCreate); output: CreatedApiKey; code: 'email_not_verified' | 'limit_reached' | 'mfa_setup_required' | 'password_change_required' | 'step_up_required' | 'subscription_lapsed' }
  'accounts.apiKeys.revoke': { input: { /** Id of the API key. */
key_id: string }; output: undefined; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'flows.pins.list': { input: Record<string, never>; output: (TreeListItem)[]; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'flows.pins.reorder': { input: (PinOrder); output: (TreeListItem)[]; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'flows.pins.pin': { input: { /** Id of the flow. */
tree_id: string }; output: (TreeListItem)[]; code: 'email_not_verified' | 'idempotency_key_in_use' | 'limit_reached' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'flows.pins.unpin': { input: { /** Id of the flow. */
tree_id: string }; output: undefined; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'flows.health.list': { input: { /** Number of items to skip. */
skip?: number | undefined; /** Maximum number of items. */
limit?: number | undefined; /** The item after which the page starts, as the `Link` of the page before gives it. */
after?: string | undefined }; output: (FlowHealth)[]; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'flows.health.get': { input: { /** Id of the flow. */
tree_id: string }; output: FlowHealth; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'flows.trees.list': { input: { /** Number of items to skip. */
skip?: number | undefined; /** Maximum number of items. */
limit?: number | undefined; /** The item after which the page starts, as the `Link` of the page before gives it. */
after?: string | undefined; /** `name` sorts in ascending order. Every other value sorts in descending order. */
sort_by?: FlowSortBy | undefined; /** Only flows of this type. */
tree_type?: FlowType | undefined; /** Only drafts, or only published flows. */
status?: FlowStatus | undefined; /** Only flows with this visibility. */
visibility?: FlowVisibility | undefined; /** Only flows of this author. */
author_id?: string | undefined; /** Only flows of the category with this name. */
category?: string | undefined; /** Only flows with this tag. */
tag?: string | undefined; /** Words that must all occur in the name, description or tags. */
search?: string | undefined }; output: (TreeListItem)[]; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'flows.trees.create': { input: (TreeCreate); output: TreeResponse; code: 'email_not_verified' | 'flow_invalid' | 'idempotency_key_in_use' | 'limit_reached' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'flows.trees.get': { input: { /** Id of the flow. */
tree_id: string }; output: TreeResponse; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'flows.trees.update': { input: { /** Id of the flow. */
tree_id: string } & (TreeUpdate); output: TreeResponse; code: 'email_not_verified' | 'flow_invalid' | 'limit_reached' | 'mfa_setup_required' | 'password_change_required' | 'stale_version' | 'subscription_lapsed' }
  'flows.trees.delete': { input: { /** Id of the flow. */
tree_id: string }; output: undefined; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'flows.trees.validatePublish': { input: { /** Id of the flow. */
tree_id: string }; output: CanPublishResponse; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'flows.versions.list': { input: { /** Id of the flow. */
tree_id: string; /** Number of items to skip. */
skip?: number | undefined; /** Maximum number of items. */
limit?: number | undefined; /** The item after which the page starts, as the `Link` of the page before gives it. */
after?: string | undefined }; output: (TreeVersionListItem)[]; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'flows.versions.get': { input: { /** Id of the flow. */
tree_id: string; /** Version number, starting at 1. */
version: number }; output: TreeVersionResponse; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'flows.versions.compare': { input: { /** Id of the flow. */
tree_id: string; /** Version number, starting at 1. */
version: number; /** The version to compare with; by default the version before. 0 compares with an empty version. */
base?: number | undefined; /** `html`: a page to read. It is a file without scripts. */
format?: ComparisonFormat | undefined }; output: VersionComparison | File; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'flows.versions.restore': { input: { /** Id of the flow. */
tree_id: string; /** Version number, starting at 1. */
version: number }; output: TreeResponse; code: 'email_not_verified' | 'flow_invalid' | 'idempotency_key_in_use' | 'limit_reached' | 'mfa_setup_required' | 'password_change_required' | 'stale_version' | 'subscription_lapsed' }
  'flows.forks.create': { input: { /** Id of the flow. */
tree_id: string } & (ForkCreate); output: TreeResponse; code: 'email_not_verified' | 'idempotency_key_in_use' | 'limit_reached' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'flows.forks.list': { input: { /** Id of the flow. */
tree_id: string; /** Number of items to skip. */
skip?: number | undefined; /** Maximum number of items. */
limit?: number | undefined; /** The item after which the page starts, as the `Link` of the page before gives it. */
after?: string | undefined }; output: (TreeListItem)[]; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'flows.sharing.create': { input: { /** Id of the flow. */
tree_id: string } & (ShareCreate); output: ShareResponse; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' | 'wrong_state' }
  'flows.sharing.list': { input: { /** Id of the flow. */
tree_id: string; /** Number of items to skip. */
skip?: number | undefined; /** Maximum number of items. */
limit?: number | undefined; /** The item after which the page starts, as the `Link` of the page before gives it. */
after?: string | undefined }; output: (ShareListItem)[]; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'flows.sharing.revoke': { input: { /** Id of the flow. */
tree_id: string; /** Id of the share. */
share_id: string }; output: undefined; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'flows.sharing.openLink': { input: { /** The token in the share link. */
token: string }; output: SharedFlowResponse; code: never }
  'flows.transfer.export': { input: { /** Id of the flow. */
tree_id: string }; output: FlowEnvelope; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'flows.transfer.import': { input: (FlowEnvelope); output: FlowImportResponse; code: 'email_not_verified' | 'idempotency_key_in_use' | 'limit_reached' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' | 'unsupported_version' }
  'flows.markdown.export': { input: { /** Id of the flow. */
tree_id: string }; output: File; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'flows.markdown.import': { input: (MarkdownFlow); output: FlowImportResponse; code: 'email_not_verified' | 'idempotency_key_in_use' | 'limit_reached' | 'markdown_invalid' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'flows.markdown.validate': { input: (MarkdownFlow); output: MarkdownValidateResponse; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'flows.foreign.import': { input: (ForeignFlow); output: FlowImportResponse; code: 'email_not_verified' | 'idempotency_key_in_use' | 'limit_reached' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'flows.categories.list': { input: { /** Number of items to skip. */
skip?: number | undefined; /** Maximum number of items. */
limit?: number | undefined; /** The item after which the page starts, as the `Link` of the page before gives it. */
after?: string | undefined }; output: (CategoryResponse)[]; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'flows.categories.create': { input: (CategoryCreate); output: CategoryResponse; code: 'email_not_verified' | 'idempotency_key_in_use' | 'mfa_setup_required' | 'name_taken' | 'password_change_required' | 'subscription_lapsed' }
  'flows.categories.rename': { input: { /** Id of the category. */
category_id: string } & (CategoryUpdate); output: CategoryResponse; code: 'email_not_verified' | 'mfa_setup_required' | 'name_taken' | 'password_change_required' | 'subscription_lapsed' }
  'flows.categories.delete': { input: { /** Id of the category. */
category_id: string }; output: undefined; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'flows.categories.listTags': { input: { /** Number of items to skip. */
skip?: number | undefined; /** Maximum number of items. */
limit?: number | undefined; /** The item after which the page starts, as the `Link` of the page before gives it. */
after?: string | undefined }; output: (TagResponse)[]; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'flows.stepLibrary.list': { input: { /** Number of items to skip. */
skip?: number | undefined; /** Maximum number of items. */
limit?: number | undefined; /** The item after which the page starts, as the `Link` of the page before gives it. */
after?: string | undefined; /** Words that must all occur in the title or description. */
search?: string | undefined; /** `true`: only steps that belong to flows. `false`: only steps that were written for the library. */
synced?: boolean | undefined; /** `false` lists inactive steps instead. */
active?: boolean | undefined }; output: (LibraryStepResponse)[]; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'flows.stepLibrary.create': { input: (LibraryStepCreate); output: LibraryStepResponse; code: 'email_not_verified' | 'idempotency_key_in_use' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'flows.stepLibrary.get': { input: { /** Id of the library step. */
step_id: string }; output: LibraryStepResponse; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'flows.stepLibrary.update': { input: { /** Id of the library step. */
step_id: string } & (LibraryStepUpdate); output: LibraryStepResponse; code: 'email_not_verified' | 'managed_by_flow' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'flows.stepLibrary.delete': { input: { /** Id of the library step. */
step_id: string }; output: undefined; code: 'email_not_verified' | 'managed_by_flow' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'sessions.batches.create': { input: (BatchCreate); output: BatchResponse; code: 'email_not_verified' | 'idempotency_key_in_use' | 'mfa_setup_required' | 'not_own_team' | 'not_published' | 'password_change_required' | 'stale_version' | 'subscription_lapsed' | 'wrong_flow_type' }
  'sessions.batches.getProgress': { input: { /** Id of the batch. */
batch_id: string }; output: BatchProgressResponse; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'sessions.list': { input: { /** Number of items to skip. */
skip?: number | undefined; /** Maximum number of items. */
limit?: number | undefined; /** The item after which the page starts, as the `Link` of the page before gives it. */
after?: string | undefined; /** Part of the ticket number, ignoring case. */
ticket_number?: string | undefined; /** Part of the client’s name, ignoring case. */
client_name?: string | undefined; /** Part of the name that the flow had when the session was created, ignoring case. */
tree_name?: string | undefined; /** Started at this time or later. A date is the whole day in the account’s time zone. */
started_after?: (string) | undefined; /** Started at this time or earlier, or on this date. */
started_before?: (string) | undefined; /** Completed at this time or later, or on this date. */
completed_after?: (string) | undefined; /** Completed at this time or earlier, or on this date. */
completed_before?: (string) | undefined; /** Only sessions of this batch. */
batch_id?: string | undefined; /** Only sessions in this state. */
state?: SessionState | undefined; /** Only sessions of this user. */
user_id?: string | undefined; /** `true`: only my sessions. `false`: only those of others. */
mine?: boolean | undefined }; output: (SessionListItem)[]; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'sessions.start': { input: (SessionStart); output: SessionResponse; code: 'email_not_verified' | 'idempotency_key_in_use' | 'mfa_setup_required' | 'not_published' | 'password_change_required' | 'stale_version' | 'subscription_lapsed' }
  'sessions.prepare': { input: (SessionPrepare); output: SessionResponse; code: 'email_not_verified' | 'idempotency_key_in_use' | 'mfa_setup_required' | 'not_published' | 'password_change_required' | 'stale_version' | 'subscription_lapsed' }
  'sessions.get': { input: { /** Id of the session. */
session_id: string }; output: SessionResponse; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'sessions.update': { input: { /** Id of the session. */
session_id: string } & (SessionUpdate); output: SessionResponse; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' | 'wrong_state' }
  'sessions.delete': { input: { /** Id of the session. */
session_id: string }; output: undefined; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'sessions.startPrepared': { input: { /** Id of the session. */
session_id: string } & (PreparedSessionStart); output: SessionResponse; code: 'email_not_verified' | 'idempotency_key_in_use' | 'mfa_setup_required' | 'password_change_required' | 'stale_version' | 'subscription_lapsed' | 'wrong_state' }
  'sessions.updateVariables': { input: { /** Id of the session. */
session_id: string } & (SessionVariablesUpdate); output: SessionVariablesResponse; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'stale_version' | 'subscription_lapsed' | 'wrong_state' }
  'sessions.steps.recordDecision': { input: { /** Id of the session. */
session_id: string } & (SessionDecisionCreate); output: SessionResponse; code: 'approval_required' | 'email_not_verified' | 'idempotency_key_in_use' | 'limit_reached' | 'mfa_setup_required' | 'password_change_required' | 'step_not_current' | 'subflow_running' | 'subscription_lapsed' | 'wrong_state' }
  'sessions.steps.answer': { input: { /** Id of the session. */
session_id: string } & (SessionDecisionCreate); output: SessionChanges; code: 'approval_required' | 'email_not_verified' | 'idempotency_key_in_use' | 'limit_reached' | 'mfa_setup_required' | 'password_change_required' | 'step_not_current' | 'subflow_running' | 'subscription_lapsed' | 'wrong_state' }
  'sessions.steps.undoDecision': { input: { /** Id of the session. */
session_id: string }; output: SessionResponse; code: 'email_not_verified' | 'mfa_setup_required' | 'no_decision' | 'password_change_required' | 'step_not_current' | 'subflow_running' | 'subscription_lapsed' | 'wrong_state' }
  'sessions.steps.addCustomStep': { input: { /** Id of the session. */
session_id: string } & (SessionCustomStepCreate); output: SessionResponse; code: 'email_not_verified' | 'idempotency_key_in_use' | 'limit_reached' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' | 'wrong_state' }
  'sessions.steps.complete': { input: { /** Id of the session. */
session_id: string } & (SessionComplete); output: SessionResponse; code: 'email_not_verified' | 'idempotency_key_in_use' | 'mfa_setup_required' | 'password_change_required' | 'subflow_running' | 'subscription_lapsed' | 'wrong_state' }
  'sessions.steps.saveAsTree': { input: { /** Id of the session. */
session_id: string } & (SessionSaveAsTree); output: TreeResponse; code: 'email_not_verified' | 'flow_invalid' | 'idempotency_key_in_use' | 'limit_reached' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'sessions.subflows.list': { input: { /** Id of the session. */
session_id: string; /** Number of items to skip. */
skip?: number | undefined; /** Maximum number of items. */
limit?: number | undefined; /** The item after which the page starts, as the `Link` of the page before gives it. */
after?: string | undefined }; output: (SessionListItem)[]; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'sessions.subflows.start': { input: { /** Id of the session. */
session_id: string } & (SubflowStart); output: SessionResponse; code: 'email_not_verified' | 'idempotency_key_in_use' | 'limit_reached' | 'mfa_setup_required' | 'password_change_required' | 'stale_version' | 'subflow_running' | 'subflow_unavailable' | 'subscription_lapsed' | 'wrong_state' }
  'sessions.notes.listSupportingData': { input: { /** Id of the session. */
session_id: string; /** Number of items to skip. */
skip?: number | undefined; /** Maximum number of items. */
limit?: number | undefined; /** The item after which the page starts, as the `Link` of the page before gives it. */
after?: string | undefined }; output: (SupportingDataResponse)[]; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'sessions.notes.addSupportingData': { input: { /** Id of the session. */
session_id: string } & (SupportingDataCreate); output: SupportingDataResponse; code: 'email_not_verified' | 'idempotency_key_in_use' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'sessions.notes.updateSupportingData': { input: { /** Id of the session. */
session_id: string; /** Id of the item. */
item_id: string } & (SupportingDataUpdate); output: SupportingDataResponse; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'sessions.notes.deleteSupportingData': { input: { /** Id of the session. */
session_id: string; /** Id of the item. */
item_id: string }; output: undefined; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'sessions.notes.rateSession': { input: { /** Id of the session. */
session_id: string } & (SessionRatingPut); output: SessionRatingResponse; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'sessions.notes.getRating': { input: { /** Id of the session. */
session_id: string }; output: SessionRatingResponse; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'sessions.notes.rateStep': { input: { /** Id of the session. */
session_id: string; /** Id of the step in its flow. */
step_id: string } & (StepFeedbackPut); output: StepFeedbackResponse; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'sessions.scriptRuns.list': { input: { /** Id of the session. */
session_id: string; /** Number of items to skip. */
skip?: number | undefined; /** Maximum number of items. */
limit?: number | undefined; /** The item after which the page starts, as the `Link` of the page before gives it. */
after?: string | undefined }; output: (ScriptRun)[]; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'sessions.scriptRuns.create': { input: { /** Id of the session. */
session_id: string } & (ScriptRunCreate); output: ScriptRun; code: 'email_not_verified' | 'idempotency_key_in_use' | 'limit_reached' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'sessions.approvals.listWaiting': { input: { /** Number of items to skip. */
skip?: number | undefined; /** Maximum number of items. */
limit?: number | undefined; /** The item after which the page starts, as the `Link` of the page before gives it. */
after?: string | undefined }; output: (ApprovalListItem)[]; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'sessions.approvals.list': { input: { /** Id of the session. */
session_id: string; /** Number of items to skip. */
skip?: number | undefined; /** Maximum number of items. */
limit?: number | undefined; /** The item after which the page starts, as the `Link` of the page before gives it. */
after?: string | undefined }; output: (ApprovalListItem)[]; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'sessions.approvals.get': { input: { /** Id of the session. */
session_id: string; /** Id of the approval. */
approval_id: string }; output: ApprovalResponse; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'sessions.approvals.request': { input: { /** Id of the session. */
session_id: string } & (ApprovalRequest); output: ApprovalResponse; code: 'already_decided' | 'already_pending' | 'email_not_verified' | 'idempotency_key_in_use' | 'limit_reached' | 'mfa_setup_required' | 'no_approver' | 'password_change_required' | 'step_not_current' | 'subscription_lapsed' | 'wrong_state' }
  'sessions.approvals.approve': { input: { /** Id of the session. */
session_id: string; /** Id of the approval. */
approval_id: string } & (ApprovalGrant); output: ApprovalResponse; code: 'already_decided' | 'email_not_verified' | 'idempotency_key_in_use' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' | 'wrong_state' }
  'sessions.approvals.reject': { input: { /** Id of the session. */
session_id: string; /** Id of the approval. */
approval_id: string } & (ApprovalRejection); output: ApprovalResponse; code: 'already_decided' | 'email_not_verified' | 'idempotency_key_in_use' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' | 'wrong_state' }
  'sessions.approvalLinks.showPage': { input: { /** The token of the link in the message. */
token: string }; output: File; code: 'link_ended' }
  'sessions.approvalLinks.decide': { input: { /** The token of the link in the message. */
token: string }; output: File; code: 'link_ended' }
  'sessions.exports.export': { input: { /** Id of the session. */
session_id: string; /** Format of the document; by default the preference `default_export_format`, otherwise markdown. */
format?: ExportFormat | undefined; /** Index of the last answered step to include, starting at 0. */
max_step_index?: string | undefined; /** Whether to mask IP and e-mail addresses, network paths, tokens, keys and passwords; by default the preference `mask_exports`. */
mask?: boolean | undefined }; output: File; code: 'email_not_verified' | 'masking_failed' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'flows.gallery.list': { input: { /** Only items of this type. */
type?: GalleryItemType | undefined; /** Only items of the category with this name. */
category?: string | undefined; /** Page number, starting at 1. */
page?: number | undefined; /** How many items a page has. */
page_size?: number | undefined; /** `featured`: featured items first. `popular`: most used first. `newest`: newest first. `name`: by name. */
sort?: GallerySort | undefined }; output: GalleryPage; code: never }
  'flows.gallery.listCategories': { input: Record<string, never>; output: (GalleryCategory)[]; code: never }
  'flows.gallery.search': { input: { /** Only items of this type. */
type?: GalleryItemType | undefined; /** Only items of the category with this name. */
category?: string | undefined; /** Page number, starting at 1. */
page?: number | undefined; /** How many items a page has. */
page_size?: number | undefined; /** Words to search for, best match first. Supports `"a phrase"`, `or` and `-not`. */
q: string }; output: GalleryPage; code: never }
  'flows.gallery.getFlow': { input: { /** Id of the flow. */
tree_id: string }; output: GalleryFlow; code: never }
  'flows.gallery.getScript': { input: { /** Identifies the script in its URL. */
slug: string }; output: GalleryScript; code: never }
  'diagrams.deviceTypes.list': { input: { /** Number of items to skip. */
skip?: number | undefined; /** Maximum number of items. */
limit?: number | undefined; /** The item after which the page starts, as the `Link` of the page before gives it. */
after?: string | undefined; /** Only types of this category. */
category?: DeviceCategory | undefined; /** Part of the name. */
search?: string | undefined }; output: (DeviceTypeResponse)[]; code: 'email_not_verified' | 'feature_disabled' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'diagrams.deviceTypes.create': { input: (DeviceTypeCreate); output: DeviceTypeResponse; code: 'email_not_verified' | 'feature_disabled' | 'idempotency_key_in_use' | 'mfa_setup_required' | 'name_taken' | 'password_change_required' | 'subscription_lapsed' }
  'diagrams.deviceTypes.update': { input: { /** Id of the device type. */
device_type_id: string } & (DeviceTypeUpdate); output: DeviceTypeResponse; code: 'email_not_verified' | 'feature_disabled' | 'mfa_setup_required' | 'name_taken' | 'password_change_required' | 'subscription_lapsed' }
  'diagrams.deviceTypes.delete': { input: { /** Id of the device type. */
device_type_id: string }; output: undefined; code: 'email_not_verified' | 'feature_disabled' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'diagrams.drafts.generate': { input: (NetworkDiagramGenerate); output: NetworkDiagramDraft; code: 'ai_budget_exhausted' | 'ai_not_configured' | 'ai_provider_error' | 'email_not_verified' | 'feature_disabled' | 'idempotency_key_in_use' | 'limit_reached' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'diagrams.list': { input: { /** Number of items to skip. */
skip?: number | undefined; /** Maximum number of items. */
limit?: number | undefined; /** The item after which the page starts, as the `Link` of the page before gives it. */
after?: string | undefined; /** Words that must all occur in the name, description, client or asset. */
search?: string | undefined; /** Only diagrams of the client with this name, ignoring case. */
client?: string | undefined; /** `true` lists archived diagrams instead. */
archived?: boolean | undefined }; output: (NetworkDiagramListItem)[]; code: 'email_not_verified' | 'feature_disabled' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'diagrams.create': { input: (NetworkDiagramCreate); output: NetworkDiagramResponse; code: 'email_not_verified' | 'feature_disabled' | 'idempotency_key_in_use' | 'limit_reached' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'diagrams.listClients': { input: { /** Number of items to skip. */
skip?: number | undefined; /** Maximum number of items. */
limit?: number | undefined; /** The item after which the page starts, as the `Link` of the page before gives it. */
after?: string | undefined }; output: (DiagramClient)[]; code: 'email_not_verified' | 'feature_disabled' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'diagrams.import': { input: (NetworkDiagramImport); output: NetworkDiagramImportResponse; code: 'email_not_verified' | 'feature_disabled' | 'idempotency_key_in_use' | 'limit_reached' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'diagrams.get': { input: { /** Id of the diagram. */
diagram_id: string }; output: NetworkDiagramResponse; code: 'email_not_verified' | 'feature_disabled' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'diagrams.update': { input: { /** Id of the diagram. */
diagram_id: string } & (NetworkDiagramUpdate); output: NetworkDiagramResponse; code: 'email_not_verified' | 'feature_disabled' | 'limit_reached' | 'mfa_setup_required' | 'password_change_required' | 'stale_version' | 'subscription_lapsed' }
  'diagrams.archive': { input: { /** Id of the diagram. */
diagram_id: string } & (NetworkDiagramArchive); output: NetworkDiagramResponse; code: 'email_not_verified' | 'feature_disabled' | 'idempotency_key_in_use' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'diagrams.duplicate': { input: { /** Id of the diagram. */
diagram_id: string }; output: NetworkDiagramResponse; code: 'email_not_verified' | 'feature_disabled' | 'idempotency_key_in_use' | 'limit_reached' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'diagrams.export': { input: { /** Id of the diagram. */
diagram_id: string; /** `json` and `drawio`: a file that can be imported again without a loss. `svg` and `png`: an image, the latter of at most 2 million pixels. `mermaid`: a flowchart with the nodes, groups and lines, without positions. */
format?: DiagramExportFormat | undefined }; output: NetworkDiagramFile | File; code: 'email_not_verified' | 'feature_disabled' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'diagrams.versions.list': { input: { /** Id of the diagram. */
diagram_id: string; /** Number of items to skip. */
skip?: number | undefined; /** Maximum number of items. */
limit?: number | undefined; /** The item after which the page starts, as the `Link` of the page before gives it. */
after?: string | undefined }; output: (DiagramVersionListItem)[]; code: 'email_not_verified' | 'feature_disabled' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'diagrams.versions.get': { input: { /** Id of the diagram. */
diagram_id: string; /** Version number, starting at 1. */
version: number }; output: DiagramVersionResponse; code: 'email_not_verified' | 'feature_disabled' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'diagrams.versions.compare': { input: { /** Id of the diagram. */
diagram_id: string; /** Version number, starting at 1. */
version: number; /** The version to compare with; by default the version before. 0 compares with an empty version. */
base?: number | undefined; /** `html`: a page to read. It is a file without scripts. */
format?: ComparisonFormat | undefined }; output: VersionComparison | File; code: 'email_not_verified' | 'feature_disabled' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'diagrams.versions.restore': { input: { /** Id of the diagram. */
diagram_id: string; /** Version number, starting at 1. */
version: number }; output: NetworkDiagramResponse; code: 'email_not_verified' | 'feature_disabled' | 'idempotency_key_in_use' | 'limit_reached' | 'mfa_setup_required' | 'password_change_required' | 'stale_version' | 'subscription_lapsed' }
  'scripts.list': { input: { /** Number of items to skip. */
skip?: number | undefined; /** Maximum number of items. */
limit?: number | undefined; /** The item after which the page starts, as the `Link` of the page before gives it. */
after?: string | undefined; /** `true`: only templates that I created. `false`: only those of others. */
mine?: boolean | undefined; /** `true`: only templates that the whole account can see. `false`: only unshared templates. */
shared?: boolean | undefined; /** Only scripts in this language. */
language?: ScriptLanguage | undefined; /** Only scripts of the category with this name. */
category?: string | undefined; /** Words that must all occur in the name or description. */
search?: string | undefined }; output: (ScriptTemplateListItem)[]; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'scripts.create': { input: (ScriptTemplateCreate); output: ScriptTemplateResponse; code: 'email_not_verified' | 'idempotency_key_in_use' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'scripts.listCategories': { input: { /** Number of items to skip. */
skip?: number | undefined; /** Maximum number of items. */
limit?: number | undefined; /** The item after which the page starts, as the `Link` of the page before gives it. */
after?: string | undefined }; output: (ScriptCategoryResponse)[]; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'scripts.createCategory': { input: (ScriptCategoryCreate); output: ScriptCategoryResponse; code: 'email_not_verified' | 'idempotency_key_in_use' | 'mfa_setup_required' | 'name_taken' | 'password_change_required' | 'subscription_lapsed' }
  'scripts.get': { input: { /** Id of the script template. */
template_id: string }; output: ScriptTemplateResponse; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'scripts.update': { input: { /** Id of the script template. */
template_id: string } & (ScriptTemplateUpdate); output: ScriptTemplateResponse; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'stale_version' | 'subscription_lapsed' }
  'scripts.delete': { input: { /** Id of the script template. */
template_id: string }; output: undefined; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'scripts.render': { input: { /** Id of the script template. */
template_id: string } & (ScriptGenerateRequest); output: ScriptGenerateResponse; code: 'approval_required' | 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' | 'wrong_state' }
  'scripts.share': { input: { /** Id of the script template. */
template_id: string } & (ScriptTemplateShare); output: ScriptTemplateResponse; code: 'email_not_verified' | 'idempotency_key_in_use' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'scripts.versions.list': { input: { /** Id of the script template. */
template_id: string; /** Number of items to skip. */
skip?: number | undefined; /** Maximum number of items. */
limit?: number | undefined; /** The item after which the page starts, as the `Link` of the page before gives it. */
after?: string | undefined }; output: (ScriptVersionListItem)[]; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'scripts.versions.get': { input: { /** Id of the script template. */
template_id: string; /** Version number, starting at 1. */
version: number }; output: ScriptVersionResponse; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'scripts.versions.compare': { input: { /** Id of the script template. */
template_id: string; /** Version number, starting at 1. */
version: number; /** The version to compare with; by default the version before. 0 compares with an empty version. */
base?: number | undefined; /** `html`: a page to read. It is a file without scripts. */
format?: ComparisonFormat | undefined }; output: VersionComparison | File; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'scripts.versions.restore': { input: { /** Id of the script template. */
template_id: string; /** Version number, starting at 1. */
version: number }; output: ScriptTemplateResponse; code: 'email_not_verified' | 'idempotency_key_in_use' | 'mfa_setup_required' | 'password_change_required' | 'stale_version' | 'subscription_lapsed' }
  'scripts.approvals.request': { input: { /** Id of the script template. */
template_id: string } & (ScriptApprovalRequest); output: ApprovalResponse; code: 'already_decided' | 'already_pending' | 'email_not_verified' | 'idempotency_key_in_use' | 'limit_reached' | 'mfa_setup_required' | 'no_approver' | 'password_change_required' | 'step_not_current' | 'subscription_lapsed' | 'wrong_state' }
  'scripts.builder.create': { input: (ScriptBuilderCreate); output: ScriptBuilderSession; code: 'email_not_verified' | 'feature_disabled' | 'idempotency_key_in_use' | 'mfa_setup_required' | 'password_change_required' | 'session_limit_reached' | 'subscription_lapsed' }
  'scripts.builder.list': { input: { /** Number of items to skip. */
skip?: number | undefined; /** Maximum number of items. */
limit?: number | undefined; /** The item after which the page starts, as the `Link` of the page before gives it. */
after?: string | undefined; /** `standalone`: only standalone sessions. `pilot_inline`: only sessions that are part of an AI session. `all`: both. */
origin?: ScriptBuilderOriginFilter | undefined; /** Instead, those of members who have left: all for account admins, those of the members of their team for team admins. */
owner_left?: boolean | undefined }; output: (ScriptBuilderListItem)[]; code: 'email_not_verified' | 'feature_disabled' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'scripts.builder.get': { input: { /** Id of the script-builder session. */
session_id: string }; output: ScriptBuilderSession; code: 'email_not_verified' | 'feature_disabled' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'scripts.builder.sendMessage': { input: { /** Id of the script-builder session. */
session_id: string } & (ScriptBuilderRequest); output: ScriptBuilderReply; code: 'ai_budget_exhausted' | 'ai_not_configured' | 'ai_provider_error' | 'email_not_verified' | 'feature_disabled' | 'idempotency_key_in_use' | 'limit_reached' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'scripts.builder.saveToLibrary': { input: { /** Id of the script-builder session. */
session_id: string } & (ScriptBuilderSave); output: ScriptTemplateResponse; code: 'email_not_verified' | 'feature_disabled' | 'idempotency_key_in_use' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'scripts.builder.delete': { input: { /** Id of the script-builder session. */
session_id: string }; output: undefined; code: 'email_not_verified' | 'feature_disabled' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'scripts.drafts.list': { input: { /** Number of items to skip. */
skip?: number | undefined; /** Maximum number of items. */
limit?: number | undefined; /** The item after which the page starts, as the `Link` of the page before gives it. */
after?: string | undefined; /** `false` also lists accepted and rejected drafts. */
pending_only?: boolean | undefined }; output: (DraftTemplateResponse)[]; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'scripts.drafts.get': { input: { /** Id of the draft. */
draft_id: string }; output: DraftTemplateResponse; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'scripts.drafts.accept': { input: { /** Id of the draft. */
draft_id: string } & (DraftTemplateAccept); output: ScriptTemplateResponse; code: 'already_decided' | 'email_not_verified' | 'idempotency_key_in_use' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' | 'unknown_category' }
  'scripts.drafts.reject': { input: { /** Id of the draft. */
draft_id: string }; output: DraftTemplateResponse; code: 'already_decided' | 'email_not_verified' | 'idempotency_key_in_use' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'authoring.kbBatches.create': { input: (KbBatchCreate | FileInput); output: KbBatch; code: 'already_pending' | 'email_not_verified' | 'feature_disabled' | 'idempotency_key_in_use' | 'kb_quota_exceeded' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'authoring.kbBatches.list': { input: { /** Number of items to skip. */
skip?: number | undefined; /** Maximum number of items. */
limit?: number | undefined; /** The item after which the page starts, as the `Link` of the page before gives it. */
after?: string | undefined }; output: (KbBatchListItem)[]; code: 'email_not_verified' | 'feature_disabled' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'authoring.kbBatches.get': { input: { /** Id of the batch. */
batch_id: string }; output: KbBatch; code: 'email_not_verified' | 'feature_disabled' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'authoring.kbBatches.cancel': { input: { /** Id of the batch. */
batch_id: string }; output: KbBatch; code: 'email_not_verified' | 'feature_disabled' | 'idempotency_key_in_use' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' | 'wrong_state' }
  'authoring.kbImports.getQuota': { input: Record<string, never>; output: KbImportQuota; code: 'email_not_verified' | 'feature_disabled' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'authoring.kbImports.create': { input: (KbImportCreate | FileInput); output: KbImportResponse; code: 'email_not_verified' | 'feature_disabled' | 'idempotency_key_in_use' | 'kb_quota_exceeded' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'authoring.kbImports.list': { input: { /** Number of items to skip. */
skip?: number | undefined; /** Maximum number of items. */
limit?: number | undefined; /** The item after which the page starts, as the `Link` of the page before gives it. */
after?: string | undefined; /** Only imports in this state. */
status?: KbImportStatus | undefined }; output: (KbImportListItem)[]; code: 'email_not_verified' | 'feature_disabled' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'authoring.kbImports.get': { input: { /** Id of the knowledge import. */
import_id: string }; output: KbImportResponse; code: 'email_not_verified' | 'feature_disabled' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'authoring.kbImports.convert': { input: { /** Id of the knowledge import. */
import_id: string }; output: KbImportResponse; code: 'ai_budget_exhausted' | 'ai_not_configured' | 'ai_provider_error' | 'already_committed' | 'email_not_verified' | 'feature_disabled' | 'idempotency_key_in_use' | 'limit_reached' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'authoring.kbImports.updateNode': { input: { /** Id of the knowledge import. */
import_id: string; /** Id of the node. */
node_id: string } & (KbImportNodeUpdate); output: KbImportNode; code: 'already_committed' | 'email_not_verified' | 'feature_disabled' | 'mfa_setup_required' | 'password_change_required' | 'stale_version' | 'subscription_lapsed' }
  'authoring.kbImports.commit': { input: { /** Id of the knowledge import. */
import_id: string } & (KbImportCommit); output: TreeResponse; code: 'already_committed' | 'email_not_verified' | 'feature_disabled' | 'idempotency_key_in_use' | 'limit_reached' | 'mfa_setup_required' | 'not_converted' | 'password_change_required' | 'subscription_lapsed' }
  'authoring.kbImports.delete': { input: { /** Id of the knowledge import. */
import_id: string }; output: undefined; code: 'email_not_verified' | 'feature_disabled' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'psa.tickets.listBoards': { input: Record<string, never>; output: (PsaBoard)[]; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'psa_auth_failed' | 'psa_error' | 'psa_not_connected' | 'psa_rate_limited' | 'psa_unavailable' | 'subscription_lapsed' }
  'psa.tickets.search': { input: { /** Only tickets of the member I am mapped to. Returns 409 `psa_member_not_mapped` without a mapping. */
assigned_to_me?: boolean | undefined; /** Only tickets without an owner. Cannot be combined with `assigned_to_me`. */
unassigned?: boolean | undefined; /** Only tickets of these boards: ids, separated by commas. */
board_ids?: string | undefined; /** Only tickets whose summary contains each of these words. A single number also finds the ticket with this id. */
text?: string | undefined; /** Number of the page, from 1. */
page?: number | undefined; /** Tickets per page. */
page_size?: number | undefined }; output: PsaTicketPage; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'psa_auth_failed' | 'psa_error' | 'psa_member_not_mapped' | 'psa_not_connected' | 'psa_rate_limited' | 'psa_unavailable' | 'subscription_lapsed' }
  'psa.tickets.listStatuses': { input: { /** Id of the board in the ticketing system. */
board_id: string }; output: (PsaStatus)[]; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'psa_auth_failed' | 'psa_error' | 'psa_not_connected' | 'psa_rate_limited' | 'psa_unavailable' | 'subscription_lapsed' }
  'psa.tickets.searchCompanies': { input: { /** Only clients whose name contains each of these words. */
text?: string | undefined }; output: (PsaCompanyItem)[]; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'psa_auth_failed' | 'psa_error' | 'psa_not_connected' | 'psa_rate_limited' | 'psa_unavailable' | 'subscription_lapsed' }
  'psa.tickets.update': { input: { /** Id of the ticket in the ticketing system. */
ticket_id: string } & (PsaTicketUpdate); output: PsaTicket; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'psa_auth_failed' | 'psa_error' | 'psa_member_not_mapped' | 'psa_not_connected' | 'psa_rate_limited' | 'psa_unavailable' | 'subscription_lapsed' }
  'psa.tickets.getContext': { input: { /** Id of the ticket in the ticketing system. */
ticket_id: string }; output: PsaTicketContext; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'psa_auth_failed' | 'psa_error' | 'psa_not_connected' | 'psa_rate_limited' | 'psa_unavailable' | 'subscription_lapsed' }
  'psa.connection.get': { input: Record<string, never>; output: PsaConnectionResponse; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'psa_not_connected' | 'subscription_lapsed' }
  'psa.connection.put': { input: (PsaConnectionUpdate); output: PsaConnectionResponse; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'psa_auth_failed' | 'psa_error' | 'psa_rate_limited' | 'psa_unavailable' | 'stale_version' | 'step_up_required' | 'subscription_lapsed' }
  'psa.connection.delete': { input: Record<string, never>; output: undefined; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'psa_not_connected' | 'step_up_required' | 'subscription_lapsed' }
  'psa.connection.test': { input: Record<string, never>; output: PsaConnectionTest; code: 'email_not_verified' | 'idempotency_key_in_use' | 'mfa_setup_required' | 'password_change_required' | 'psa_not_connected' | 'subscription_lapsed' }
  'psa.members.listMappings': { input: Record<string, never>; output: (PsaMemberMapping)[]; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'psa.members.putMapping': { input: { /** Id of the user. */
user_id: string } & (PsaMemberMappingUpdate); output: PsaMemberMapping; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'psa_auth_failed' | 'psa_error' | 'psa_not_connected' | 'psa_rate_limited' | 'psa_unavailable' | 'stale_version' | 'subscription_lapsed' }
  'psa.members.list': { input: Record<string, never>; output: (PsaMember)[]; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'psa_auth_failed' | 'psa_error' | 'psa_not_connected' | 'psa_rate_limited' | 'psa_unavailable' | 'subscription_lapsed' }
  'psa.pushes.list': { input: { /** Number of items to skip. */
skip?: number | undefined; /** Maximum number of items. */
limit?: number | undefined; /** The item after which the page starts, as the `Link` of the page before gives it. */
after?: string | undefined; /** Only notes in this state. */
state?: PsaPushState | undefined; /** Only notes of this session, AI session or output. */
source_id?: string | undefined }; output: (PsaPush)[]; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'psa.pushes.retry': { input: { /** Id of the push. */
push_id: string }; output: PsaPush; code: 'email_not_verified' | 'idempotency_key_in_use' | 'mfa_setup_required' | 'not_failed' | 'password_change_required' | 'subscription_lapsed' }
  'psa.pushes.createNote': { input: { /** Id of the ticket in the ticketing system. */
ticket_id: string } & (PsaTicketNoteCreate); output: PsaPush; code: 'email_not_verified' | 'idempotency_key_in_use' | 'mfa_setup_required' | 'password_change_required' | 'psa_not_connected' | 'subscription_lapsed' }
  'psa.pushes.createTimeEntry': { input: { /** Id of the session. */
session_id: string } & (PsaTimeEntryCreate); output: PsaPush; code: 'email_not_verified' | 'idempotency_key_in_use' | 'mfa_setup_required' | 'no_ticket' | 'password_change_required' | 'psa_member_not_mapped' | 'psa_not_connected' | 'subscription_lapsed' | 'wrong_state' }
  'psa.pushes.createTicket': { input: { /** Id of the session. */
session_id: string } & (PsaTicketCreate); output: PsaPush; code: 'already_has_ticket' | 'email_not_verified' | 'idempotency_key_in_use' | 'mfa_setup_required' | 'password_change_required' | 'psa_not_connected' | 'subscription_lapsed' }
  'psa.pushes.createForSession': { input: { /** Id of the session. */
session_id: string } & (SessionPush); output: PsaPush; code: 'email_not_verified' | 'idempotency_key_in_use' | 'mfa_setup_required' | 'no_ticket' | 'password_change_required' | 'psa_not_connected' | 'subscription_lapsed' }
  'psa.pushes.previewForSession': { input: { /** Id of the session. */
session_id: string; /** Whether the note is hidden from the client. */
internal?: boolean | undefined }; output: PsaPushPreview; code: 'email_not_verified' | 'mfa_setup_required' | 'no_ticket' | 'password_change_required' | 'psa_auth_failed' | 'psa_error' | 'psa_not_connected' | 'psa_rate_limited' | 'psa_unavailable' | 'subscription_lapsed' }
  'psa.rules.list': { input: Record<string, never>; output: (PsaRule)[]; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'psa.rules.create': { input: (PsaRuleCreate); output: PsaRule; code: 'email_not_verified' | 'idempotency_key_in_use' | 'limit_reached' | 'mfa_setup_required' | 'not_published' | 'password_change_required' | 'subscription_lapsed' }
  'psa.rules.update': { input: { /** Id of the rule. */
rule_id: string } & (PsaRuleUpdate); output: PsaRule; code: 'email_not_verified' | 'mfa_setup_required' | 'not_published' | 'password_change_required' | 'subscription_lapsed' }
  'psa.rules.delete': { input: { /** Id of the rule. */
rule_id: string }; output: undefined; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'psa.callbacks.get': { input: Record<string, never>; output: PsaCallbacks; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'psa.callbacks.enable': { input: Record<string, never>; output: PsaCallbackAddress; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'psa_not_connected' | 'step_up_required' | 'subscription_lapsed' }
  'psa.callbacks.disable': { input: Record<string, never>; output: undefined; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'runner.connection.get': { input: Record<string, never>; output: RunnerConnectionResponse; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'runner_not_connected' | 'subscription_lapsed' }
  'runner.connection.put': { input: (RunnerConnectionPut); output: RunnerConnectionResponse; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'stale_version' | 'step_up_required' | 'subscription_lapsed' }
  'runner.connection.delete': { input: Record<string, never>; output: undefined; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'runner_not_connected' | 'step_up_required' | 'subscription_lapsed' }
  'runner.connection.test': { input: Record<string, never>; output: RunnerConnectionTest; code: 'email_not_verified' | 'idempotency_key_in_use' | 'mfa_setup_required' | 'password_change_required' | 'runner_not_connected' | 'subscription_lapsed' }
  'runner.agents.list': { input: { /** Only machines of the client with this name at the runner, in any case. */
client?: string | undefined; /** A part of the name of the machine or its site, in any case. */
search?: string | undefined }; output: RunnerAgentList; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'runner_auth_failed' | 'runner_error' | 'runner_not_connected' | 'subscription_lapsed' }
  'runner.runs.startInSession': { input: { /** Id of the session. */
session_id: string } & (RunnerRunCreate); output: RunnerRun; code: 'approval_required' | 'email_not_verified' | 'idempotency_key_in_use' | 'limit_reached' | 'mfa_setup_required' | 'password_change_required' | 'runner_not_connected' | 'subscription_lapsed' | 'wrong_state' }
  'runner.runs.listOfSession': { input: { /** Id of the session. */
session_id: string; /** Number of items to skip. */
skip?: number | undefined; /** Maximum number of items. */
limit?: number | undefined; /** The item after which the page starts, as the `Link` of the page before gives it. */
after?: string | undefined }; output: (RunnerRun)[]; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'runner.runs.startInAiSession': { input: { /** Id of the AI session. */
session_id: string } & (RunnerRunCreate); output: RunnerRun; code: 'approval_required' | 'email_not_verified' | 'feature_disabled' | 'idempotency_key_in_use' | 'limit_reached' | 'mfa_setup_required' | 'password_change_required' | 'runner_not_connected' | 'subscription_lapsed' | 'wrong_state' }
  'runner.runs.listOfAiSession': { input: { /** Id of the AI session. */
session_id: string; /** Number of items to skip. */
skip?: number | undefined; /** Maximum number of items. */
limit?: number | undefined; /** The item after which the page starts, as the `Link` of the page before gives it. */
after?: string | undefined }; output: (RunnerRun)[]; code: 'email_not_verified' | 'feature_disabled' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'runner.runs.cancel': { input: { /** Id of the run. */
run_id: string }; output: RunnerRun; code: 'email_not_verified' | 'idempotency_key_in_use' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' | 'wrong_state' }
  'billing.createPortalSession': { input: Record<string, never>; output: BillingPortalSession; code: 'billing_provider_error' | 'billing_provider_not_configured' | 'mfa_setup_required' | 'no_billing_customer' | 'password_change_required' | 'step_up_required' }
  'billing.createCheckoutSession': { input: (BillingCheckoutInput); output: BillingCheckoutSession; code: 'already_subscribed' | 'billing_provider_error' | 'billing_provider_not_configured' | 'idempotency_key_in_use' | 'mfa_setup_required' | 'password_change_required' | 'step_up_required' }
  'billing.getSubscription': { input: Record<string, never>; output: SubscriptionResponse; code: 'mfa_setup_required' | 'password_change_required' }
  'uploads.create': { input: (FileInput); output: UploadResponse; code: 'email_not_verified' | 'idempotency_key_in_use' | 'limit_reached' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'uploads.get': { input: { /** Id of the upload. */
upload_id: string }; output: File; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'ai.escalations.listQueue': { input: { /** Number of items to skip. */
skip?: number | undefined; /** Maximum number of items. */
limit?: number | undefined; /** The item after which the page starts, as the `Link` of the page before gives it. */
after?: string | undefined }; output: (EscalationQueueItem)[]; code: 'email_not_verified' | 'feature_disabled' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'ai.escalations.stream': { input: { /** Id of the last event that the client has received, for a client that cannot send `Last-Event-ID`. */
last_event_id?: string | undefined }; output: never; event: ServerEvent<'handoff_created', HandoffCreatedEvent> | ServerEvent<'handoff_claimed', HandoffClaimedEvent> | ServerEvent<'handoff_closed', HandoffClosedEvent> | ServerEvent<'handoff_assessment_ready', HandoffAssessmentReadyEvent> | ServerEvent<'ai_task_finished', AITaskFinishedEvent> | ServerEvent<'ticket_changed', TicketChangedEvent> | ServerEvent<'script_run_finished', ScriptRunFinishedEvent> | ServerEvent<'presence', PresenceEvent> | ServerEvent<'approval_changed', ApprovalChangedEvent> | ServerEvent<'kb_batch_finished', KbBatchFinishedEvent> | ServerEvent<'job_progressed', JobProgressedEvent> | ServerEvent<'overflow', {
/** Number of missed events. */
dropped: number
}> | ServerEvent<'replaced', { [key: string]: unknown }>; code: 'email_not_verified' | 'feature_disabled' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' | 'websocket_unavailable' }
  'ai.escalations.claim': { input: { /** Id of the AI session. */
session_id: string; /** Id of the handoff. */
handoff_id: string }; output: Handoff; code: 'already_claimed' | 'email_not_verified' | 'feature_disabled' | 'idempotency_key_in_use' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' | 'wrong_state' }
  'ai.escalations.pickUp': { input: { /** Id of the AI session. */
session_id: string }; output: AISessionDetail; code: 'already_claimed' | 'email_not_verified' | 'feature_disabled' | 'idempotency_key_in_use' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' | 'wrong_state' }
  'ai.handover.get': { input: { /** When the shift began: at most 7 days ago, 12 hours by default. */
since?: string | undefined; /** Only what belongs to this team or to none. */
team_id?: string | undefined }; output: ShiftHandover; code: 'email_not_verified' | 'feature_disabled' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'ai.handoffs.draft': { input: { /** Id of the AI session. */
session_id: string }; output: never; event: ServerEvent<'delta', {
/** The next part of the text. */
text: string
}> | ServerEvent<'restart', { [key: string]: unknown }> | ServerEvent<'draft', HandoffDraft>; code: 'ai_budget_exhausted' | 'ai_not_configured' | 'ai_provider_error' | 'email_not_verified' | 'feature_disabled' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' | 'wrong_state' }
  'ai.handoffs.create': { input: { /** Id of the AI session. */
session_id: string } & (HandoffCreate); output: Handoff; code: 'email_not_verified' | 'feature_disabled' | 'idempotency_key_in_use' | 'mfa_setup_required' | 'password_change_required' | 'stale_version' | 'subscription_lapsed' | 'wrong_state' }
  'ai.handoffs.escalate': { input: { /** Id of the AI session. */
session_id: string } & (HandoffEscalate); output: SessionCloseResponse; code: 'email_not_verified' | 'feature_disabled' | 'idempotency_key_in_use' | 'mfa_setup_required' | 'password_change_required' | 'stale_version' | 'subscription_lapsed' | 'wrong_state' }
  'ai.handoffs.list': { input: { /** Id of the AI session. */
session_id: string; /** Number of items to skip. */
skip?: number | undefined; /** Maximum number of items. */
limit?: number | undefined; /** The item after which the page starts, as the `Link` of the page before gives it. */
after?: string | undefined }; output: (Handoff)[]; code: 'email_not_verified' | 'feature_disabled' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'ai.handoffs.resume': { input: { /** Id of the AI session. */
session_id: string }; output: AISessionDetail; code: 'email_not_verified' | 'feature_disabled' | 'idempotency_key_in_use' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' | 'wrong_state' }
  'presence.list': { input: { /** Number of items to skip. */
skip?: number | undefined; /** Maximum number of items. */
limit?: number | undefined; /** The item after which the page starts, as the `Link` of the page before gives it. */
after?: string | undefined; /** Only resources of this type. */
type?: PresenceType | undefined; /** Only this flow, session or AI session. */
id?: string | undefined }; output: (PresenceListItem)[]; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'presence.put': { input: (PresencePut); output: PresenceResponse; code: 'email_not_verified' | 'limit_reached' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'presence.delete': { input: { /** The type of the resource. */
type: PresenceType; /** Id of the flow, session or AI session. */
id: string; /** The tab that leaves. Without it, all of my tabs leave. */
tab_id?: string | undefined }; output: undefined; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'ai.turns.createSession': { input: (AISessionCreate); output: AISessionDetail; code: 'ai_budget_exhausted' | 'ai_not_configured' | 'ai_provider_error' | 'email_not_verified' | 'feature_disabled' | 'idempotency_key_in_use' | 'limit_reached' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' | 'wrong_flow_type' }
  'ai.turns.sendMessage': { input: { /** Id of the AI session. */
session_id: string } & (ChatMessage); output: ChatMessageResponse; event: ServerEvent<'delta', {
/** The next part of the text. */
text: string
}> | ServerEvent<'restart', { [key: string]: unknown }> | ServerEvent<'message', ChatMessageResponse>; code: 'ai_budget_exhausted' | 'ai_not_configured' | 'ai_provider_error' | 'email_not_verified' | 'feature_disabled' | 'idempotency_key_in_use' | 'limit_reached' | 'mfa_setup_required' | 'password_change_required' | 'stale_version' | 'subscription_lapsed' | 'wrong_state' }
  'ai.turns.listMessages': { input: { /** Id of the AI session. */
session_id: string; /** Number of items to skip. */
skip?: number | undefined; /** Maximum number of items. */
limit?: number | undefined; /** The item after which the page starts, as the `Link` of the page before gives it. */
after?: string | undefined; /** Id of a branch of the session; the active branch when left out. */
branch_id?: string | undefined }; output: (AiMessage)[]; code: 'email_not_verified' | 'feature_disabled' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'ai.turns.respondToStep': { input: { /** Id of the AI session. */
session_id: string } & (GuidedResponse); output: GuidedReply; code: 'ai_budget_exhausted' | 'ai_not_configured' | 'ai_provider_error' | 'email_not_verified' | 'feature_disabled' | 'idempotency_key_in_use' | 'limit_reached' | 'mfa_setup_required' | 'password_change_required' | 'stale_version' | 'step_not_current' | 'subscription_lapsed' | 'wrong_session_type' | 'wrong_state' }
  'ai.sessions.list': { input: { /** Number of items to skip. */
skip?: number | undefined; /** Maximum number of items. */
limit?: number | undefined; /** The item after which the page starts, as the `Link` of the page before gives it. */
after?: string | undefined; /** Only sessions of this type. */
session_type?: AiSessionType | undefined; /** Only sessions of this ticket. */
psa_ticket_id?: string | undefined; /** Only sessions with this status. */
status?: AiSessionStatus | undefined; /** Instead, the sessions of members who have left: all for account admins, those of their team for team admins. */
owner_left?: boolean | undefined }; output: (AISessionListItem)[]; code: 'email_not_verified' | 'feature_disabled' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'ai.sessions.get': { input: { /** Id of the AI session. */
session_id: string }; output: AISessionDetail; code: 'email_not_verified' | 'feature_disabled' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'ai.sessions.delete': { input: { /** Id of the AI session. */
session_id: string }; output: undefined; code: 'email_not_verified' | 'feature_disabled' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'ai.sessions.resolve': { input: { /** Id of the AI session. */
session_id: string } & (AISessionResolve); output: SessionCloseResponse; code: 'already_decided' | 'email_not_verified' | 'feature_disabled' | 'idempotency_key_in_use' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' | 'unsettled_items' | 'wrong_state' }
  'ai.sessions.abandon': { input: { /** Id of the AI session. */
session_id: string }; output: SessionCloseResponse; code: 'email_not_verified' | 'feature_disabled' | 'idempotency_key_in_use' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' | 'wrong_state' }
  'ai.triage.update': { input: { /** Id of the AI session. */
session_id: string } & (TriagePatch); output: AISessionDetail; code: 'email_not_verified' | 'feature_disabled' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' | 'wrong_state' }
  'ai.triage.putTaskLane': { input: { /** Id of the AI session. */
session_id: string } & (TaskLanePut); output: TaskLaneWithVersion; code: 'email_not_verified' | 'feature_disabled' | 'mfa_setup_required' | 'password_change_required' | 'stale_version' | 'subscription_lapsed' | 'wrong_state' }
  'ai.triage.listBranches': { input: { /** Id of the AI session. */
session_id: string; /** Number of items to skip. */
skip?: number | undefined; /** Maximum number of items. */
limit?: number | undefined; /** The item after which the page starts, as the `Link` of the page before gives it. */
after?: string | undefined }; output: (AiBranch)[]; code: 'email_not_verified' | 'feature_disabled' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'ai.triage.createBranch': { input: { /** Id of the AI session. */
session_id: string } & (AiBranchCreate); output: AiBranch; code: 'email_not_verified' | 'feature_disabled' | 'idempotency_key_in_use' | 'limit_reached' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' | 'wrong_state' }
  'ai.triage.activateBranch': { input: { /** Id of the AI session. */
session_id: string; /** Id of the branch. */
branch_id: string }; output: AiBranch; code: 'email_not_verified' | 'feature_disabled' | 'idempotency_key_in_use' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' | 'wrong_state' }
  'ai.triage.listFacts': { input: { /** Id of the AI session. */
session_id: string }; output: AiFacts; code: 'email_not_verified' | 'feature_disabled' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'ai.triage.putFact': { input: { /** Id of the AI session. */
session_id: string } & (AiFactCreate); output: AiFactSettled; code: 'email_not_verified' | 'feature_disabled' | 'idempotency_key_in_use' | 'limit_reached' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' | 'wrong_state' }
  'ai.fixes.list': { input: { /** Id of the AI session. */
session_id: string; /** Number of items to skip. */
skip?: number | undefined; /** Maximum number of items. */
limit?: number | undefined; /** The item after which the page starts, as the `Link` of the page before gives it. */
after?: string | undefined }; output: (SuggestedFix)[]; code: 'email_not_verified' | 'feature_disabled' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'ai.fixes.apply': { input: { /** Id of the AI session. */
session_id: string; /** Id of the suggested fix. */
fix_id: string }; output: SuggestedFix; code: 'already_decided' | 'email_not_verified' | 'feature_disabled' | 'idempotency_key_in_use' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'ai.fixes.clearProposal': { input: { /** Id of the AI session. */
session_id: string; /** Id of the suggested fix. */
fix_id: string }; output: undefined; code: 'email_not_verified' | 'feature_disabled' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'ai.fixes.recordOutcome': { input: { /** Id of the AI session. */
session_id: string; /** Id of the suggested fix. */
fix_id: string } & (FixOutcome); output: SuggestedFix; code: 'already_decided' | 'email_not_verified' | 'feature_disabled' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'ai.fixes.updateScript': { input: { /** Id of the AI session. */
session_id: string; /** Id of the suggested fix. */
fix_id: string } & (FixScript); output: SuggestedFix; code: 'already_decided' | 'email_not_verified' | 'feature_disabled' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'ai.fixes.decideScript': { input: { /** Id of the AI session. */
session_id: string; /** Id of the suggested fix. */
fix_id: string } & (FixDecision); output: FixDecisionResponse; code: 'approval_required' | 'email_not_verified' | 'feature_disabled' | 'mfa_setup_required' | 'no_script' | 'password_change_required' | 'subscription_lapsed' }
  'ai.feedback.list': { input: { /** Id of the AI session. */
session_id: string; /** Number of items to skip. */
skip?: number | undefined; /** Maximum number of items. */
limit?: number | undefined; /** The item after which the page starts, as the `Link` of the page before gives it. */
after?: string | undefined }; output: (AIFeedback)[]; code: 'email_not_verified' | 'feature_disabled' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'ai.feedback.set': { input: { /** Id of the AI session. */
session_id: string } & (AIFeedbackPut); output: AIFeedback; code: 'email_not_verified' | 'feature_disabled' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'ai.mcpServers.list': { input: Record<string, never>; output: (McpServer)[]; code: 'email_not_verified' | 'feature_disabled' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'ai.mcpServers.create': { input: (McpServerCreate); output: McpServer; code: 'email_not_verified' | 'feature_disabled' | 'idempotency_key_in_use' | 'limit_reached' | 'mfa_setup_required' | 'name_taken' | 'password_change_required' | 'step_up_required' | 'subscription_lapsed' }
  'ai.mcpServers.refresh': { input: { /** Id of the MCP server. */
server_id: string }; output: McpServer; code: 'email_not_verified' | 'feature_disabled' | 'idempotency_key_in_use' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'ai.mcpServers.allow': { input: { /** Id of the MCP server. */
server_id: string } & (McpToolsPut); output: McpServer; code: 'email_not_verified' | 'feature_disabled' | 'mfa_setup_required' | 'password_change_required' | 'step_up_required' | 'subscription_lapsed' }
  'ai.mcpServers.delete': { input: { /** Id of the MCP server. */
server_id: string }; output: undefined; code: 'email_not_verified' | 'feature_disabled' | 'mfa_setup_required' | 'password_change_required' | 'step_up_required' | 'subscription_lapsed' }
  'ai.scriptRuns.list': { input: { /** Id of the AI session. */
session_id: string; /** Number of items to skip. */
skip?: number | undefined; /** Maximum number of items. */
limit?: number | undefined; /** The item after which the page starts, as the `Link` of the page before gives it. */
after?: string | undefined }; output: (ScriptRun)[]; code: 'email_not_verified' | 'feature_disabled' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'ai.scriptRuns.create': { input: { /** Id of the AI session. */
session_id: string } & (AIScriptRunCreate); output: ScriptRun; code: 'email_not_verified' | 'feature_disabled' | 'idempotency_key_in_use' | 'limit_reached' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' | 'wrong_state' }
  'ai.outputs.createStatusUpdate': { input: { /** Id of the AI session. */
session_id: string } & (StatusUpdateCreate); output: StatusUpdate; code: 'ai_budget_exhausted' | 'ai_not_configured' | 'ai_provider_error' | 'email_not_verified' | 'feature_disabled' | 'idempotency_key_in_use' | 'limit_reached' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'ai.outputs.list': { input: { /** Id of the AI session. */
session_id: string; /** Number of items to skip. */
skip?: number | undefined; /** Maximum number of items. */
limit?: number | undefined; /** The item after which the page starts, as the `Link` of the page before gives it. */
after?: string | undefined }; output: (AiOutput)[]; code: 'email_not_verified' | 'feature_disabled' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'ai.outputs.create': { input: { /** Id of the AI session. */
session_id: string } & (AiOutputCreate); output: AiOutput; code: 'ai_budget_exhausted' | 'ai_not_configured' | 'ai_provider_error' | 'email_not_verified' | 'feature_disabled' | 'idempotency_key_in_use' | 'limit_reached' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'ai.outputs.update': { input: { /** Id of the AI session. */
session_id: string; /** Id of the output. */
output_id: string } & (AiOutputPatch); output: AiOutput; code: 'already_pushed' | 'email_not_verified' | 'feature_disabled' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'ai.outputs.push': { input: { /** Id of the AI session. */
session_id: string; /** Id of the output. */
output_id: string } & (AiOutputPush); output: AiOutput; code: 'already_pushed' | 'email_not_verified' | 'feature_disabled' | 'idempotency_key_in_use' | 'mfa_setup_required' | 'no_ticket' | 'password_change_required' | 'psa_not_connected' | 'subscription_lapsed' }
  'ai.outputs.previewPush': { input: { /** Id of the AI session. */
session_id: string; /** Id of the output. */
output_id: string }; output: PsaPushPreview; code: 'email_not_verified' | 'feature_disabled' | 'mfa_setup_required' | 'no_ticket' | 'password_change_required' | 'psa_auth_failed' | 'psa_error' | 'psa_not_connected' | 'psa_rate_limited' | 'psa_unavailable' | 'subscription_lapsed' }
  'ai.outputs.retryPush': { input: { /** Id of the AI session. */
session_id: string }; output: DocumentationPush; code: 'email_not_verified' | 'feature_disabled' | 'idempotency_key_in_use' | 'mfa_setup_required' | 'no_ticket' | 'not_failed' | 'password_change_required' | 'psa_not_connected' | 'subscription_lapsed' }
  'ai.tasks.list': { input: { /** Number of items to skip. */
skip?: number | undefined; /** Maximum number of items. */
limit?: number | undefined; /** The item after which the page starts, as the `Link` of the page before gives it. */
after?: string | undefined; /** Only tasks in this state. */
state?: AITaskState | undefined }; output: (AITaskItem)[]; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'ai.tasks.get': { input: { /** Id of the task. */
task_id: string }; output: AITask; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'ai.usage.get': { input: Record<string, never>; output: AIUsage; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'authoring.flowBuilder.start': { input: (FlowConversationStart); output: FlowConversation; code: 'ai_budget_exhausted' | 'ai_not_configured' | 'ai_provider_error' | 'ai_quota_exceeded' | 'email_not_verified' | 'feature_disabled' | 'idempotency_key_in_use' | 'limit_reached' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'authoring.flowBuilder.list': { input: { /** Number of items to skip. */
skip?: number | undefined; /** Maximum number of items. */
limit?: number | undefined; /** The item after which the page starts, as the `Link` of the page before gives it. */
after?: string | undefined; /** Instead, those of members who have left: all for account admins, those of the members of their team for team admins. */
owner_left?: boolean | undefined }; output: (FlowConversationListItem)[]; code: 'email_not_verified' | 'feature_disabled' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'authoring.flowBuilder.get': { input: { /** Id of the flow-builder conversation. */
conversation_id: string }; output: FlowConversation; code: 'email_not_verified' | 'feature_disabled' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'authoring.flowBuilder.sendMessage': { input: { /** Id of the flow-builder conversation. */
conversation_id: string } & (FlowConversationMessage); output: FlowConversation; code: 'ai_budget_exhausted' | 'ai_not_configured' | 'ai_provider_error' | 'ai_quota_exceeded' | 'email_not_verified' | 'feature_disabled' | 'idempotency_key_in_use' | 'limit_reached' | 'mfa_setup_required' | 'password_change_required' | 'stale_version' | 'subscription_lapsed' }
  'authoring.flowBuilder.commit': { input: { /** Id of the flow-builder conversation. */
conversation_id: string } & (FlowConversationCommit); output: TreeResponse; code: 'email_not_verified' | 'feature_disabled' | 'idempotency_key_in_use' | 'limit_reached' | 'mfa_setup_required' | 'no_draft' | 'password_change_required' | 'subscription_lapsed' }
  'authoring.flowBuilder.delete': { input: { /** Id of the flow-builder conversation. */
conversation_id: string }; output: undefined; code: 'email_not_verified' | 'feature_disabled' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'authoring.assistant.getQuota': { input: Record<string, never>; output: AIQuota; code: 'email_not_verified' | 'feature_disabled' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'authoring.assistant.suggest': { input: (AISuggest); output: AISuggestion; code: 'ai_budget_exhausted' | 'ai_not_configured' | 'ai_provider_error' | 'email_not_verified' | 'feature_disabled' | 'flow_invalid' | 'idempotency_key_in_use' | 'limit_reached' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'authoring.proposals.create': { input: { /** Id of the completed session, or of the resolved AI session. */
session_id: string } & (FlowConversion); output: FlowProposal; code: 'ai_budget_exhausted' | 'ai_not_configured' | 'ai_provider_error' | 'already_pending' | 'email_not_verified' | 'feature_disabled' | 'flow_empty' | 'idempotency_key_in_use' | 'limit_reached' | 'mfa_setup_required' | 'password_change_required' | 'platform_flow' | 'subscription_lapsed' | 'wrong_flow_type' | 'wrong_state' }
  'authoring.proposals.list': { input: { /** Number of items to skip. */
skip?: number | undefined; /** Maximum number of items. */
limit?: number | undefined; /** The item after which the page starts, as the `Link` of the page before gives it. */
after?: string | undefined; /** Only proposals with this status. */
status?: ProposalStatus | undefined }; output: (FlowProposalListItem)[]; code: 'email_not_verified' | 'feature_disabled' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'authoring.proposals.get': { input: { /** Id of the flow proposal. */
proposal_id: string }; output: FlowProposal; code: 'email_not_verified' | 'feature_disabled' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'authoring.proposals.approve': { input: { /** Id of the flow proposal. */
proposal_id: string }; output: FlowProposalApproval; code: 'already_decided' | 'email_not_verified' | 'feature_disabled' | 'flow_invalid' | 'idempotency_key_in_use' | 'limit_reached' | 'mfa_setup_required' | 'password_change_required' | 'stale_version' | 'subscription_lapsed' | 'target_gone' }
  'authoring.proposals.reject': { input: { /** Id of the flow proposal. */
proposal_id: string } & (FlowProposalReject); output: FlowProposal; code: 'already_decided' | 'email_not_verified' | 'feature_disabled' | 'idempotency_key_in_use' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'maintenance.targetLists.list': { input: { /** Number of items to skip. */
skip?: number | undefined; /** Maximum number of items. */
limit?: number | undefined; /** The item after which the page starts, as the `Link` of the page before gives it. */
after?: string | undefined }; output: (TargetListItem)[]; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'maintenance.targetLists.create': { input: (TargetListCreate); output: TargetListResponse; code: 'email_not_verified' | 'idempotency_key_in_use' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'maintenance.targetLists.get': { input: { /** Id of the target list. */
list_id: string }; output: TargetListResponse; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'maintenance.targetLists.update': { input: { /** Id of the target list. */
list_id: string } & (TargetListUpdate); output: TargetListResponse; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'stale_version' | 'subscription_lapsed' }
  'maintenance.targetLists.delete': { input: { /** Id of the target list. */
list_id: string }; output: undefined; code: 'email_not_verified' | 'in_use' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'maintenance.schedules.list': { input: { /** Number of items to skip. */
skip?: number | undefined; /** Maximum number of items. */
limit?: number | undefined; /** The item after which the page starts, as the `Link` of the page before gives it. */
after?: string | undefined }; output: (MaintenanceSchedule)[]; code: 'email_not_verified' | 'feature_disabled' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'maintenance.schedules.create': { input: (MaintenanceScheduleCreate); output: MaintenanceSchedule; code: 'email_not_verified' | 'feature_disabled' | 'idempotency_key_in_use' | 'limit_reached' | 'mfa_setup_required' | 'not_own_team' | 'not_published' | 'password_change_required' | 'subscription_lapsed' | 'wrong_flow_type' }
  'maintenance.schedules.get': { input: { /** Id of the maintenance schedule. */
schedule_id: string }; output: MaintenanceScheduleDetail; code: 'email_not_verified' | 'feature_disabled' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'maintenance.schedules.update': { input: { /** Id of the maintenance schedule. */
schedule_id: string } & (MaintenanceScheduleUpdate); output: MaintenanceSchedule; code: 'email_not_verified' | 'feature_disabled' | 'mfa_setup_required' | 'password_change_required' | 'schedule_busy' | 'stale_version' | 'subscription_lapsed' }
  'maintenance.schedules.delete': { input: { /** Id of the maintenance schedule. */
schedule_id: string }; output: undefined; code: 'email_not_verified' | 'feature_disabled' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'maintenance.runs.create': { input: { /** Id of the maintenance schedule. */
schedule_id: string }; output: MaintenanceRunNow; code: 'already_started' | 'email_not_verified' | 'feature_disabled' | 'idempotency_key_in_use' | 'invalid_targets' | 'mfa_setup_required' | 'no_target_list' | 'not_own_team' | 'not_published' | 'password_change_required' | 'stale_version' | 'subscription_lapsed' | 'wrong_flow_type' }
  'maintenance.runs.list': { input: { /** Id of the maintenance schedule. */
schedule_id: string; /** Number of items to skip. */
skip?: number | undefined; /** Maximum number of items. */
limit?: number | undefined; /** The item after which the page starts, as the `Link` of the page before gives it. */
after?: string | undefined }; output: (MaintenanceRun)[]; code: 'email_not_verified' | 'feature_disabled' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'oncall.schedules.listOnCall': { input: { /** Only the schedules of this team. */
team_id?: string | undefined }; output: (OnCallNow)[]; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'oncall.schedules.listOfMember': { input: { /** Id of the member. */
user_id: string }; output: OnCallDuties; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'oncall.schedules.list': { input: { /** Number of items to skip. */
skip?: number | undefined; /** Maximum number of items. */
limit?: number | undefined; /** The item after which the page starts, as the `Link` of the page before gives it. */
after?: string | undefined }; output: (OnCallScheduleResponse)[]; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'oncall.schedules.create': { input: (OnCallScheduleCreate); output: OnCallScheduleResponse; code: 'email_not_verified' | 'idempotency_key_in_use' | 'limit_reached' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'oncall.schedules.get': { input: { /** Id of the on-call schedule. */
schedule_id: string }; output: OnCallScheduleResponse; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'oncall.schedules.update': { input: { /** Id of the on-call schedule. */
schedule_id: string } & (OnCallScheduleUpdate); output: OnCallScheduleUpdated; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'stale_version' | 'subscription_lapsed' }
  'oncall.schedules.delete': { input: { /** Id of the on-call schedule. */
schedule_id: string }; output: undefined; code: 'email_not_verified' | 'in_use' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'oncall.schedules.listShifts': { input: { /** Id of the on-call schedule. */
schedule_id: string; /** The start of the time. */
from: string; /** Its end, at most 92 days later. */
to: string }; output: (OnCallShift)[]; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'oncall.schedules.listOverrides': { input: { /** Id of the on-call schedule. */
schedule_id: string; /** Number of items to skip. */
skip?: number | undefined; /** Maximum number of items. */
limit?: number | undefined; /** The item after which the page starts, as the `Link` of the page before gives it. */
after?: string | undefined }; output: (OnCallOverrideResponse)[]; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'oncall.schedules.createOverride': { input: { /** Id of the on-call schedule. */
schedule_id: string } & (OnCallOverrideCreate); output: OnCallOverrideResponse; code: 'email_not_verified' | 'idempotency_key_in_use' | 'limit_reached' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'oncall.schedules.deleteOverride': { input: { /** Id of the on-call schedule. */
schedule_id: string; /** Id of the override. */
override_id: string }; output: undefined; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'oncall.reminders.list': { input: { /** Id of the AI session. */
session_id: string; /** Number of items to skip. */
skip?: number | undefined; /** Maximum number of items. */
limit?: number | undefined; /** The item after which the page starts, as the `Link` of the page before gives it. */
after?: string | undefined }; output: (EscalationReminder)[]; code: 'email_not_verified' | 'feature_disabled' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'oncall.policies.list': { input: { /** Number of items to skip. */
skip?: number | undefined; /** Maximum number of items. */
limit?: number | undefined; /** The item after which the page starts, as the `Link` of the page before gives it. */
after?: string | undefined }; output: (EscalationPolicyResponse)[]; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'oncall.policies.create': { input: (EscalationPolicyCreate); output: EscalationPolicyResponse; code: 'email_not_verified' | 'idempotency_key_in_use' | 'limit_reached' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'oncall.policies.get': { input: { /** Id of the escalation policy. */
policy_id: string }; output: EscalationPolicyResponse; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'oncall.policies.update': { input: { /** Id of the escalation policy. */
policy_id: string } & (EscalationPolicyUpdate); output: EscalationPolicyResponse; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'stale_version' | 'subscription_lapsed' }
  'oncall.policies.delete': { input: { /** Id of the escalation policy. */
policy_id: string }; output: undefined; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'oncall.acknowledgements.showPage': { input: { /** The token of the link in the message. */
token: string }; output: File; code: 'token_invalid_or_expired' }
  'oncall.acknowledgements.acknowledge': { input: { /** The token of the link in the message. */
token: string }; output: File; code: 'token_invalid_or_expired' }
  'search.find': { input: { /** The words to look for. Those after the tenth are ignored. */
q: string; /** Only these types, separated by commas: flow, step, library_step, script, session, ai_session, article, diagram. */
types?: string | undefined; /** The maximum number of results. */
limit?: number | undefined }; output: SearchResults; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'analytics.getTeam': { input: { /** A number of days that ends today, in my time zone. */
period?: AnalyticsPeriod | undefined; /** Count only the sessions of this team. */
team_id?: string | undefined }; output: TeamAnalyticsResponse; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'analytics.getMine': { input: { /** A number of days that ends today, in my time zone. */
period?: AnalyticsPeriod | undefined }; output: MyAnalyticsResponse; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'analytics.listFlows': { input: { /** Number of items to skip. */
skip?: number | undefined; /** Maximum number of items. */
limit?: number | undefined; /** The item after which the page starts, as the `Link` of the page before gives it. */
after?: string | undefined; /** A number of days that ends today, in my time zone. */
period?: AnalyticsPeriod | undefined }; output: (FlowAnalytics)[]; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'analytics.getFlow': { input: { /** Id of the flow. */
tree_id: string; /** A number of days that ends today, in my time zone. */
period?: AnalyticsPeriod | undefined }; output: OneFlowAnalytics; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'analytics.getEscalations': { input: { /** A number of days that ends today, in my time zone. */
period?: AnalyticsPeriod | undefined }; output: EscalationAnalyticsResponse; code: 'email_not_verified' | 'feature_disabled' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'analytics.reports.getWeekly': { input: { /** The team. */
team_id: string; /** A week of ISO 8601, such as `2026-W47`. By default the last week that has ended in the time zone of the team. */
week?: string | undefined; /** The format of the report. */
format?: WeeklyReportFormat | undefined }; output: WeeklyReport | File; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'analytics.reports.listSubscriptions': { input: { /** Number of items to skip. */
skip?: number | undefined; /** Maximum number of items. */
limit?: number | undefined; /** The item after which the page starts, as the `Link` of the page before gives it. */
after?: string | undefined }; output: (ReportSubscription)[]; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'analytics.reports.subscribe': { input: { /** Id of the team. */
team_id: string }; output: ReportSubscription; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'analytics.reports.unsubscribe': { input: { /** Id of the team. */
team_id: string }; output: undefined; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'notifications.listConfigs': { input: { /** Number of items to skip. */
skip?: number | undefined; /** Maximum number of items. */
limit?: number | undefined; /** The item after which the page starts, as the `Link` of the page before gives it. */
after?: string | undefined }; output: (NotificationConfigResponse)[]; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'notifications.createConfig': { input: (NotificationConfigCreate); output: NotificationConfigResponse; code: 'email_not_verified' | 'idempotency_key_in_use' | 'limit_reached' | 'mfa_setup_required' | 'password_change_required' | 'step_up_required' | 'subscription_lapsed' }
  'notifications.updateConfig': { input: { /** Id of the config. */
config_id: string } & (NotificationConfigUpdate); output: NotificationConfigResponse; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'step_up_required' | 'subscription_lapsed' }
  'notifications.deleteConfig': { input: { /** Id of the config. */
config_id: string }; output: undefined; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'step_up_required' | 'subscription_lapsed' }
  'notifications.testConfig': { input: (NotificationTestRequest); output: NotificationTestResponse; code: 'email_not_verified' | 'idempotency_key_in_use' | 'limit_reached' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'notifications.listDeliveries': { input: { /** Id of the config. */
config_id: string; /** Number of items to skip. */
skip?: number | undefined; /** Maximum number of items. */
limit?: number | undefined; /** The item after which the page starts, as the `Link` of the page before gives it. */
after?: string | undefined }; output: (NotificationDelivery)[]; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'notifications.retryDelivery': { input: { /** Id of the delivery. */
delivery_id: string }; output: NotificationDelivery; code: 'email_not_verified' | 'idempotency_key_in_use' | 'limit_reached' | 'mfa_setup_required' | 'not_failed' | 'password_change_required' | 'subscription_lapsed' }
  'notifications.listEventKeys': { input: Record<string, never>; output: (EventKey)[]; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'notifications.list': { input: { /** Number of items to skip. */
skip?: number | undefined; /** Maximum number of items. */
limit?: number | undefined; /** The item after which the page starts, as the `Link` of the page before gives it. */
after?: string | undefined }; output: (NotificationResponse)[]; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'notifications.countUnread': { input: Record<string, never>; output: UnreadCountResponse; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'notifications.markRead': { input: { /** Id of the notification. */
notification_id: string }; output: NotificationResponse; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'notifications.markAllRead': { input: Record<string, never>; output: UnreadCountResponse; code: 'email_not_verified' | 'idempotency_key_in_use' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'notifications.preferences.get': { input: Record<string, never>; output: MailPreferencesResponse; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'notifications.preferences.replace': { input: (MailPreferencesUpdate); output: MailPreferencesResponse; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'notifications.subscriptions.showPage': { input: { /** The token of the link in the e-mail. */
token: string }; output: File; code: 'token_invalid_or_expired' }
  'notifications.subscriptions.unsubscribe': { input: { /** The token of the link in the e-mail. */
token: string }; output: File; code: 'token_invalid_or_expired' }
  'notifications.subscriptions.resubscribe': { input: { /** The token of the link in the e-mail. */
token: string }; output: undefined; code: 'token_invalid_or_expired' }
  'webhooks.list': { input: { /** Number of items to skip. */
skip?: number | undefined; /** Maximum number of items. */
limit?: number | undefined; /** The item after which the page starts, as the `Link` of the page before gives it. */
after?: string | undefined }; output: (WebhookResponse)[]; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'webhooks.create': { input: (WebhookCreate); output: WebhookWithSecret; code: 'email_not_verified' | 'limit_reached' | 'mfa_setup_required' | 'password_change_required' | 'step_up_required' | 'subscription_lapsed' }
  'webhooks.update': { input: { /** Id of the webhook. */
webhook_id: string } & (WebhookUpdate); output: WebhookResponse; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'step_up_required' | 'subscription_lapsed' }
  'webhooks.delete': { input: { /** Id of the webhook. */
webhook_id: string }; output: undefined; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'step_up_required' | 'subscription_lapsed' }
  'webhooks.test': { input: { /** Id of the webhook. */
webhook_id: string }; output: WebhookTestResult; code: 'email_not_verified' | 'idempotency_key_in_use' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'webhooks.rotateSecret': { input: { /** Id of the webhook. */
webhook_id: string }; output: WebhookWithSecret; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'step_up_required' | 'subscription_lapsed' }
  'webhooks.listDeliveries': { input: { /** Id of the webhook. */
webhook_id: string; /** Number of items to skip. */
skip?: number | undefined; /** Maximum number of items. */
limit?: number | undefined; /** The item after which the page starts, as the `Link` of the page before gives it. */
after?: string | undefined; /** Only deliveries in this state. */
state?: DeliveryState | undefined }; output: (WebhookDelivery)[]; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'webhooks.replay': { input: { /** Id of the webhook. */
webhook_id: string } & (WebhookReplay); output: WebhookReplayResult; code: 'email_not_verified' | 'idempotency_key_in_use' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' | 'wrong_state' }
  'feedback.create': { input: (FeedbackCreate); output: FeedbackResponse; code: 'email_not_verified' | 'idempotency_key_in_use' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'feedback.createBeta': { input: (BetaFeedbackCreate); output: BetaFeedbackResponse; code: 'email_not_verified' | 'idempotency_key_in_use' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'feedback.listBeta': { input: { /** Number of items to skip. */
skip?: number | undefined; /** Maximum number of items. */
limit?: number | undefined; /** The item after which the page starts, as the `Link` of the page before gives it. */
after?: string | undefined; /** Only this reaction. */
reaction?: BetaReaction | undefined; /** Only this category. */
category?: BetaFeedbackCategory | undefined; /** Only this account. For super admins. */
account_id?: string | undefined; /** Only this author. */
user_id?: string | undefined; /** Only this AI session. */
ai_session_id?: string | undefined; /** Only feedback at or after this time. */
created_after?: string | undefined; /** Only feedback before this time. */
created_before?: string | undefined }; output: (BetaFeedbackResponse)[]; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'admin.users.list': { input: { /** Number of items to skip. */
skip?: number | undefined; /** Maximum number of items. */
limit?: number | undefined; /** The item after which the page starts, as the `Link` of the page before gives it. */
after?: string | undefined; /** Part of the e-mail address or the name. */
q?: string | undefined; /** Only this account. */
account_id?: string | undefined }; output: (AdminUserResponse)[]; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'admin.users.get': { input: { /** Id of the user. */
user_id: string }; output: AdminUserDetailResponse; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'admin.users.setSuperAdmin': { input: { /** Id of the user. */
user_id: string } & (SuperAdminUpdate); output: AdminUserResponse; code: 'email_not_verified' | 'last_super_admin' | 'mfa_setup_required' | 'password_change_required' | 'step_up_required' | 'subscription_lapsed' }
  'admin.users.resetMfa': { input: { /** Id of the user. */
user_id: string }; output: undefined; code: 'email_not_verified' | 'mfa_not_enabled' | 'mfa_setup_required' | 'password_change_required' | 'step_up_required' | 'subscription_lapsed' }
  'admin.users.changePlan': { input: { /** Id of the user. */
user_id: string } & (AdminPlanChange); output: AdminSubscription; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'admin.users.extendTrial': { input: { /** Id of the user. */
user_id: string } & (TrialExtension); output: AdminSubscription; code: 'email_not_verified' | 'idempotency_key_in_use' | 'mfa_setup_required' | 'not_on_trial' | 'password_change_required' | 'subscription_lapsed' }
  'admin.users.listAccounts': { input: { /** Number of items to skip. */
skip?: number | undefined; /** Maximum number of items. */
limit?: number | undefined; /** The item after which the page starts, as the `Link` of the page before gives it. */
after?: string | undefined; /** Part of the name. */
q?: string | undefined }; output: (AdminAccountResponse)[]; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'admin.users.listAuditLogs': { input: { /** Number of items to skip. */
skip?: number | undefined; /** Maximum number of items. */
limit?: number | undefined; /** The item after which the page starts, as the `Link` of the page before gives it. */
after?: string | undefined; /** Only this account. */
account_id?: string | undefined; /** Only actions of this user. */
actor_id?: string | undefined; /** Only this action, such as `member.updated`. */
action?: string | undefined; /** Only entries at or after this time. */
created_after?: string | undefined; /** Only entries before this time. */
created_before?: string | undefined }; output: (AuditLogEntry)[]; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'admin.operations.get': { input: Record<string, never>; output: OperationsStatus; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'admin.operations.replay': { input: (OutboxReplay); output: OutboxReplayResult; code: 'email_not_verified' | 'idempotency_key_in_use' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'admin.plans.listLimits': { input: { /** Number of items to skip. */
skip?: number | undefined; /** Maximum number of items. */
limit?: number | undefined; /** The item after which the page starts, as the `Link` of the page before gives it. */
after?: string | undefined }; output: (PlanLimitsResponse)[]; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'admin.plans.putLimits': { input: (PlanLimitsUpdate); output: PlanLimitsResponse; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'provider_id_taken' | 'subscription_lapsed' }
  'admin.plans.listFeatureFlags': { input: Record<string, never>; output: (FeatureFlagResponse)[]; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'admin.plans.putFeatureFlag': { input: { /** The key of the feature. */
flag_key: string } & (PlanFeatureUpdate); output: FeatureFlagResponse; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'admin.plans.putFeatureOverride': { input: { /** Id of the account. */
account_id: string; /** The key of the feature. */
flag_key: string } & (FeatureOverrideUpdate); output: FeatureOverrideResponse; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'admin.plans.createInviteCode': { input: (PlatformInviteCodeCreate); output: NewPlatformInviteCodeResponse; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'admin.plans.listInviteCodes': { input: { /** Number of items to skip. */
skip?: number | undefined; /** Maximum number of items. */
limit?: number | undefined; /** The item after which the page starts, as the `Link` of the page before gives it. */
after?: string | undefined }; output: (PlatformInviteCodeResponse)[]; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'admin.plans.listSalesLeads': { input: { /** Number of items to skip. */
skip?: number | undefined; /** Maximum number of items. */
limit?: number | undefined; /** The item after which the page starts, as the `Link` of the page before gives it. */
after?: string | undefined; /** Only leads from this source. */
source?: SalesLeadSource | undefined }; output: (SalesLeadResponse)[]; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'admin.gallery.putFlow': { input: { /** Id of the flow. */
tree_id: string } & (GalleryFlowUpdate); output: GalleryFlowState; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
  'admin.gallery.putScript': { input: { /** Id of the script template. */
template_id: string } & (GalleryScriptUpdate); output: GalleryScriptState; code: 'email_not_verified' | 'mfa_setup_required' | 'password_change_required' | 'subscription_lapsed' }
}
