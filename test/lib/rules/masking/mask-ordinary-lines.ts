import { readOrdinaryLines } from './mask-lines.ts'

// Ordinary lines of the same kinds as the lines with secrets: device configurations, shell history, logs,
// tickets, tables and code.

const ordinaryTexts = readOrdinaryLines(String.raw`
service password-encryption
service timestamps log datetime msec
no service password-recovery
security passwords min-length 10
security authentication failure rate 5 log
username admin privilege 15
username admin nopassword
aaa authentication enable default enable
aaa accounting exec default start-stop group tacacs+
aaa group server radius ISE
radius-server timeout 5
radius-server retransmit 3
radius-server dead-criteria time 5 tries 3
tacacs-server timeout 10
radius server ISE01
 address ipv4 radius.example.com auth-port 1812 acct-port 1813
tacacs-server directed-request
crypto isakmp keepalive 10
crypto isakmp policy 20
 encr aes 256
 lifetime 28800
crypto map VPN 10 ipsec-isakmp
crypto ca trustpoint TP-self-signed-12345
crypto key zeroize rsa
ip http secure-server
ip domain-name example.com
ip ssh time-out 60
snmp-server group OPS v3 priv
snmp-server view ALL iso included
snmp-server trap-source Vlan10
snmp-server ifindex persist
snmp-server host mgmt.example.com
snmp-server chassis-id FOC1234X5YZ
show snmp community
show crypto isakmp sa
show ip ospf neighbor
show username
show running-config | section username
debug radius authentication
debug tacacs
clear crypto sa peer hq
line con 0
 password-prompt
 no password
 stopbits 1
interface Vlan20
 ip ospf authentication message-digest
 ip ospf cost 10
 standby 1 priority 110
 standby 1 preempt
 vrrp 1 priority 120
 vrrp 1 authentication mode md5
 dot1x pae authenticator
 authentication port-control auto
 authentication order dot1x mab
 neighbor CORE remote-as 65001
 neighbor CORE update-source Loopback0
key chain EIGRP
 key 10
 cryptographic-algorithm hmac-sha-256
 accept-lifetime local 00:00:00 Jan 1 2026 infinite
tunnel-group HQ type ipsec-l2l
tunnel-group HQ ipsec-attributes
group-policy VPN attributes
 vpn-tunnel-protocol ikev2
username ann attributes
aaa-server ISE protocol radius
passwd recovery disabled
webvpn
set system login class ops permissions view
set system login user ops class super-user
set system login password minimum-length 12
set system login retry-options tries-before-disconnect 3
set security ike proposal p1 authentication-method pre-shared-keys
set security ike policy hq mode main
set security ike gateway hq dead-peer-detection interval 10
set security ipsec vpn hq bind-interface st0.0
set snmp location "Rack 4"
set snmp trap-group ops version v2
set protocols bgp group ext type external
config vpn ipsec phase1-interface
    set interface "wan1"
    set ike-version 2
    set authmethod psk
    set peertype any
    set proposal aes256-sha256
    set dhgrp 14
    set status enable
    set type password
    set two-factor fortitoken
    set auth-type psk
    set security wpa2-only-personal
    unset password
get vpn ike gateway
execute backup config tftp fw.conf srv1
/user print
/user group print
/ppp profile set default use-encryption=yes
/ppp secret print
/ip service disable telnet,ftp
/ip ipsec proposal print
/snmp set enabled=yes
/system ntp client set enabled=yes
/interface wireless security-profiles print
/radius print
wlan virtual-ap Staff
 aaa-profile Staff-dot1x
  opmode wpa2-aes
  essid Staff
aaa password-policy mgmt
show aaa authentication all
password configuration-control
password manager
no password operator
snmp-server contact "Helpdesk"
vlan 10 name "Clients"
radius-server tracking enable
set service ssh port 22
set service snmp contact noc
set vpn ipsec ike-group FOO0 proposal 1 hash sha256
set vpn ipsec site-to-site peer HQ authentication mode pre-shared-secret
set system login user ubnt level admin
vpn policy site-to-site "HQ"
auth-method shared-secret
set mgt-config users ops permissions role-based superuser yes
set deviceconfig system hostname pa-220
set deviceconfig system permitted-ip mgmt
request password-hash password
display current-configuration
net user
net user /domain maya
net user maya /active:yes
net user maya /domain
net user maya /delete
net user maya /times:all
net localgroup administrators maya /add
net use z: \\.\share
net accounts /minpwlen:12
net accounts /maxpwage:90
psexec -s -i cmd.exe
psexec -accepteula -s cmd
sqlcmd -S db01 -E
sqlcmd -S db01 -U sa
bcp shop..t out t.dat -T -c
sqlplus / as sysdba
sqlplus /nolog
mysql -u root -p
mysql -u root -p shop
mysql -u app -h db1 --port=3307 -P 3307
mysqldump -u root --password shop
mysqladmin -u root -p status
mysqladmin processlist
mongo --port 27018
psql -U postgres -d shop -p 5433
pg_dump -p 5433 shop
pgrep -u root -l sshd
sshpass -e ssh adm@web01
sshpass -f /root/.pw ssh adm@web01
ssh -p 2222 adm@web01
ssh -i ~/.ssh/id_ed25519 adm@web01
curl -u ann https://example.com
curl -sSL https://get.example.com | sh
curl -X POST -H "Content-Type: application/json" https://api.example.com
curl -k -o a.zip https://example.com/a.zip
wget -p -k https://example.com
http GET https://api.example.com
schtasks /create /tn Job /tr c:\j.cmd /sc daily /ru SYSTEM
schtasks /delete /tn Job /f
runas /user:adm cmd
runas /netonly /user:adm powershell
sc query spooler
sc config spooler start= auto
cmdkey /add:fs01 /user:adm
net stop spooler
netdom query fsmo
dsquery user -name ann
dsmod user "cn=ann" -disabled yes
reg query HKLM\Software /v DefaultPassword
manage-bde -status C:
manage-bde -protectors -add C: -rp
manage-bde -protectors -get C: -type RecoveryPassword
slmgr /dli
slmgr /xpr
cscript ospp.vbs /dstatus
$pass = Read-Host "Password" -AsSecureString
$password = $args[0]
$Password = Get-Random
$cred = Get-Credential -UserName adm
$pw = $null
$password = ""
$token = (Get-AzAccessToken).Token
$secret = Get-AzKeyVaultSecret -VaultName kv -Name db
$creds.Password
$user.PasswordNeverExpires
[SecureString]$Password
param([string]$Password)
param([Parameter(Mandatory)][securestring]$Password)
New-LocalUser ann -NoPassword
New-LocalUser ann -Password $pw
Set-LocalUser -Name ann -PasswordNeverExpires $true
Get-ADUser -Filter * -Properties PasswordExpired
Get-ADDefaultDomainPasswordPolicy
Get-ADFineGrainedPasswordPolicy
Set-ADUser ann -PasswordNeverExpires:$false
Get-Credential | Export-Clixml c.xml
Test-Connection ws01 -Count 2
Get-Service | Where Status -eq Running
echo $PASSWORD
echo "$DB_PASS" | docker login -u ci --password-stdin
passwd ann
sudo passwd root
passwd -S ann
passwd --expire ann
chpasswd < users.txt
useradd -m -G wheel ann
usermod -aG docker ann
mkpasswd -m sha-512
openssl genrsa -out key.pem 4096
openssl req -new -key key.pem -out a.csr
openssl s_client -connect mail:993
keytool -list -keystore k.jks
ssh-keygen -t ed25519 -f id
gpg --gen-key
htpasswd -c .htpasswd ann
ldapsearch -x -W -D cn=adm
smbclient -L fs01 -N
smbclient //localhost/x -U ann
mount -t cifs -o credentials=/root/.smb x /mnt
7z l a.7z
zip -r a.zip x
tar -xpf a.tar
mkdir -p a/b
cp -p a b
redis-cli -p 6380 ping
docker run -p 80:80 -e TZ=UTC nginx
docker login -u ci --password-stdin
docker compose -p shop up
kubectl get pods -n shop
kubectl create secret generic x --from-file=a.txt
kubectl get secrets
vault status
aws configure list
az account list
gcloud auth list
git clone https://git.example.com/x.git
git push -u origin main
npm token list
nmcli dev wifi connect Office --ask
nmcli con show --active
netsh wlan show profiles
netsh wlan show profile name=Office key=clear
networksetup -listallhardwareports
security find-generic-password -s x
plink -batch adm@web01 ls
xfreerdp /v:ts01 /u:ann
impacket-smbserver share .
ipmitool -I lanplus -H bmc1 -U root power status
racadm getsysinfo
esxcli system account list
snmpwalk -v3 -l authPriv -u ops sw1
radtest -h
ansible all -m ping
ansible-playbook x.yml --ask-become-pass
ansible-vault view x.yml
DROP USER app;
SELECT name, is_disabled FROM sys.sql_logins
SELECT password FROM users
ALTER LOGIN sa DISABLE;
UPDATE users SET password_changed_at = now()
ps -ef | grep sshd
ls -p
df -P
grep -P "\d+" a.log
pip install -U pip
xargs -P 4 -n 1
rsync -aP a b
lsof -i -P -n
java -Dfile.encoding=UTF-8 -jar a.jar
2026-11-20 10:00:01 INFO LoginController - user=ann login ok
[WARN] password for ann expires in 3 days
level=info event=auth ok=true method=password
auth: password accepted for ann
msg="token refreshed" user=ann expires=3600
smtp auth failed for relay: bad password
GET /reset-password HTTP/1.1
POST /oauth/token HTTP/1.1
GET /password/forgot?lang=de HTTP/1.1
https://example.com/docs/passwords#reset
https://app.example.com/login?redirect=/home&lang=en
Content-Length: 812
X-Request-Id: 0f8fad5b-d9cb-469f-a165-70867728950e
X-Frame-Options: DENY
Server: nginx
User-Agent: curl/8.5.0
Server=db1;Database=shop;Trusted_Connection=True
Data Source=db1;Initial Catalog=shop;Integrated Security=SSPI
mysql://db1:3306/shop
postgresql://app@db1/shop
amqp://mq1:5672
Logon Type: 3, Logon Process: NtLmSsp, Authentication Package: NTLM
Package Name (NTLM only): NTLM V2, Key Length: 128
Account Name: ann, Account Domain: CONTOSO
Event 4723: An attempt was made to change an account's password
Event 4724: An attempt was made to reset an account's password
Event 4776 status 0xc000006a
Pre-Authentication Type: 2
Ticket Encryption Type: 0x12
error:0200100D:system library:fopen:Permission denied
x509: certificate signed by unknown authority
invalid api key
API key not valid. Please pass a valid API key.
Missing authentication token
token endpoint returned 400
JWT expired at 2026-11-20T10:00:00Z
The access token expires in 3599 s
session timeout is 30 minutes
Session key: none negotiated
Hash: SHA256
NTLM is disabled by policy
NTLM fallback was used
LM hash storage is off
secretsdump found nothing
Kerberos ticket was purged
recovery key ID: 6B29FC40-CA47-1067-B31D-00DD010662DA
Key ID: 7B2F1C0E-0F7C-4B6F-9D4E-2A5C8D7E6F10
Key Protectors: TPM, Numerical Password
Key Protector : {Tpm, RecoveryPassword}
Product ID: 00330-80000-00000-AA123
Serial number: VMware-42 1f 3a 5c 77 80 11 22
License status: Licensed
License type: OEM
Licence count: 25
License expires 2027-03-31
License server: lic01, port 27000
Activation failed with 0xC004F074
Partial product key: 3V66T
Order number 8844-2210
Invoice 2026-0114 was paid
Phone 030 8844 2210
Extension 4471 rings twice
Room 4471 has no network
Ticket 482913 was merged
Case #771204 is open
PO 90210
Meeting ID: 812 4471 9920
Zoom meeting 812 4471 9920 has no audio
Conference room PIN pad is dead
PIN pad battery replaced
PIN was changed by the user
PIN must have 6 digits
PIN: unknown
pin 1 is ground
The OTP expired
OTP: not received
one-time password was not accepted
MFA code never arrives
MFA method: Authenticator app
2FA is on
Security code was wrong
verification code: not received
Code 10: the device cannot start
Code: 0x80004005
code=404
exit code: 1
error code 1603 during the install
Stop code: CRITICAL_PROCESS_DEFICIENCY
Beep code 3 short
Bar code scanner is offline
Door code was changed
Alarm code expired
Access code list is in SharePoint
Backup code list was printed
Recovery codes are in the safe
Safe mode starts fine
Combination of VPN and proxy fails
Password: changed by user
Password: see KeePass
Password: see ticket 48213
Password: known to the client
Password: (empty)
Password: <none>
Password: <password>
Password: your password
Password: as usual
Password: yes
Password: xxxx
Password: ????
Password: ...
Password: .
Password: required
Password: optional
Password: default
Password: invalid
Password: sent by SMS
Password: will follow
Password: unknown to the user
Password - changed
Password – reset
Password (changed)
Password [required]
Password / PIN reset
Password/PIN: not known
Passwords: none stored
Passwords are not shared by mail
Password list was deleted
Password spray detected from one host
Password change: 12/11/2026
Password changed on 12/11/2026
Password changed 3 days ago
Password last changed 2026-11-12
Password set by admin on Monday
Password reset at 10:30
Password reset for ann, ticket closed
Password reset to default by the vendor
Password reset link sent
Password reset to be done by HR
Password was reset to the standard one
Password expired 2 days ago
Password expires in 14 days
Password valid until 31.12.2026
Password sync error 0x8007052D
Password writeback is off
Password policy: 12 characters, 3 classes
Password protection for Entra ID
password-protected PDF
The password for the NAS is unknown
The password for ann was reset
The password of the printer is in the manual
Password for ann: see vault
Use the password manager to log in
Use your password to log in
Log in with your new password
logged in with the admin account
login with SSO / password
user/password is required
username/password prompt appears
user and password are correct
user / password wrong
creds are wrong
creds are in the vault
credentials are missing
Credentials: see vault
wifi password is posted at the desk
Wi-Fi password is unknown
The WiFi password is wrong
wifi key rotated
WPA2 is on
WPA key management: PSK
PSK is configured
PSK was rotated
Pre-shared key: rotated
The pre-shared key is identical on both ends
Shared secret updated on the RADIUS server
SNMP community mismatch
SNMP community is public
Community: public
community edition 9.1
bind password is wrong
Enable password is missing
BIOS password is set
The BIOS password is lost
the secret is out of date
The secret expired
token is expired
The token is stored in the vault
The API key is invalid
API key is missing
API key: see vault
api key rotated yesterday
key: F12
the key is to restart twice
Registry key HKLM\Software\Contoso is missing
SSH key was added
ssh key type ed25519
Host key verification failed
Primary key violation
Key vault is unreachable
Foreign key 'fk_orders' fails
key fob battery is empty
Tab key sticks
Kennwort: abgelaufen
Kennwort geändert
Kennwort ist abgelaufen
Kennwort läuft in 5 Tagen ab
Kennwort muss geändert werden
Kennwort von Anna zurückgesetzt
Passwort: unbekannt
Passwort: siehe KeePass
Passwort ist falsch
Passwort ist bekannt
Passwort zurückgesetzt, funktioniert
Passwort wurde auf dem Server geändert
Passwort vergessen
Schlüssel: beim Hausmeister
Schlüssel liegt am Empfang
Zugangsdaten: siehe Tresor
Zugangsdaten wurden verschickt
WLAN-Schlüssel ist falsch
PIN gesperrt
Mot de passe : oublié
Mot de passe : voir le coffre
Mot de passe incorrect
Le mot de passe est incorrect
Le mot de passe est perdu
Le mot de passe a été changé hier
mdp oublié
Clé USB défectueuse
Clé : à la réception
Identifiants : inconnus
Contraseña: caducada
La contraseña es incorrecta
Contraseña cambiada ayer
Clave incorrecta
Clave: desconocida
Password errata
La password è errata
Password cambiata ieri
Chiave USB guasta
Wachtwoord is verlopen
Het wachtwoord is onjuist
Wachtwoord vergeten
Sleutel: bij receptie
Senha expirada
A senha é inválida
Senha: expirada
Chave do carro
Hasło: wygasło
Hasło jest nieprawidłowe
Klucz: brak
Lösenord: okänt
Lösenordet är fel
Nyckel saknas
Пароль неверный
パスワードは期限切れです
パスワード: 不明
密码：已过期
密码是错误的
비밀번호: 만료됨
| Password | changed |
| Password | |
| Password | - |
| Password expires | never |
| Token | expired |
| User | Role |␤|---|---|␤| ann | admin |
| User | Password |␤|---|---|␤| ann | (unchanged) |␤| bob | expired |
| Key | Value |␤|---|---|␤| Floor | 2 |
User␉Role␤ann␉admin
user,role,last_login␤ann,admin,2026-11-20
name,password_expired␤ann,true
host,port␤sw1,22
<password />
<password xsi:nil="true"/>
<passwordExpired>false</passwordExpired>
<passwordFormat>Hashed</passwordFormat>
<minPasswordLength>12</minPasswordLength>
<add key="PasswordLength" value="12"/>
<add key="Timeout" value="30"/>
<label for="pw">Password:</label>
<input type="password">
<input type="password" placeholder="Password" name="password">
<button>Reset password</button>
<key>PayloadVersion</key><integer>1</integer>
<keyName>VPN</keyName>
<token/>
<td>Password</td><td></td>
<td>Name</td><td>Ann Lee</td>
{"password":""}
{"password":null,"user":"ann"}
{"password": "{{admin_password}}"}
{"password": "********"}
{"passwordExpired":true}
{"passwordPolicy":{"minLength":12}}
{"hasPassword":true}
{"token_type":"Bearer","expires_in":3599}
{"tokens":{"input":812,"output":91}}
{"max_tokens":4096}
{"key":"floor","value":"2"}
{"name":"Ann","value":"engineer"}
{"label":"Password last set","value":"2026-11-20"}
{"key":"password_expires","value":"2026-12-31"}
{"pins":[1,2,3]}
{"code":"E-12"}
{"auth":"none"}
password: null
password: ""
password: !secret wifi_password
password: "{{ vault_password }}"
secretRef: db
secretName: db-tls
  valueFrom:␤    secretKeyRef:␤      name: db␤      key: password
tokenTTL: 3600
password_policy: strict
passwordless: true
[mysql]␤user=root
password=
password=%DB_PASSWORD%
PASSWORD_MIN_LENGTH=12
PASSWORD_FILE=/run/secrets/db
POSTGRES_PASSWORD_FILE=/run/secrets/pg
SESSION_TIMEOUT=30
TOKEN_URL=https://login.example.com/token
SECRET_PATH=/etc/secrets
KEYBOARD=de
KEYMAP=us
API_URL=https://api.example.com
DB_PASSWORD=
const password = process.env.PASSWORD
password = os.environ["DB_PASSWORD"]
password = getpass.getpass()
String password = request.getParameter("password");
if (password == null) return
if password != confirm:
def check_password(user, password):
function resetPassword(user) {
validatePassword(password)
password: string
password: z.string().min(12)
token: CancellationToken
readonly token: string
public string Password { get; set; }
this.password = password
var token = await getToken()
let key = event.key
for (const key of keys)
key = row["id"]
secret = config.get("secret")
import secrets
from passlib.hash import bcrypt
`)

const statements = [
  'expired',
  '(none)',
  'n/a',
  'unchanged',
  'see vault',
  'was reset by the user',
  'must be changed',
  'not set',
]
const labels = [
  ...[
    'Password',
    'Wi-Fi password',
    'Admin password',
    'Token',
    'API key',
    'Client secret',
    'Shared secret',
    'PSK',
    'Passcode',
    'PIN',
  ],
  ...[
    'Recovery key',
    'Product key',
    'Community string',
    'Credentials',
    'Passphrase',
    'Verification code',
    'Access token',
    'Private key',
  ],
]

/** The texts above, and what people write after the name of a secret instead of it. */
export const ordinaryCorpus: readonly string[] = [
  ...ordinaryTexts,
  ...labels.flatMap((label) => statements.map((statement) => `${label}: ${statement}`)),
]
