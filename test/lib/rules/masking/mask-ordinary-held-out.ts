import { readOrdinaryLines } from './mask-lines.ts'

// Ordinary lines that were written before the masking rules and were not used to write them.

export const heldOutOrdinaryLines = readOrdinaryLines(String.raw`
service password-encryption
no ip http server
no enable password
aaa new-model
aaa authentication login default group tacacs+ local
aaa authorization exec default local
username netops privilege 15
line vty 0 4
 login local
 transport input ssh
 exec-timeout 10 0
interface GigabitEthernet0/1
 switchport mode trunk
 switchport trunk allowed vlan 10,20,30
 spanning-tree portfast
 description Uplink to core-2
router ospf 1
 area 0 authentication message-digest
 passive-interface default
snmp-server location Building 7, 2nd floor
snmp-server contact NOC
snmp-server enable traps
ntp server time.example.com prefer
logging buffered 16384
ip ssh version 2
crypto key generate rsa modulus 2048
crypto isakmp policy 10
 encryption aes 256
 hash sha256
 authentication pre-share
 group 14
crypto ipsec transform-set TS esp-aes 256 esp-sha256-hmac
key chain OSPF-KEYS
 key 1
ip access-list extended GUEST
 permit tcp any any eq 443
vlan 120
 name VOICE
show running-config | include secret
show key chain
set system host-name fw-branch-3
set system services ssh root-login deny
set security policies from-zone trust to-zone untrust policy web match application junos-https
set interfaces ge-0/0/0 unit 0 family inet
config system interface
    edit "wan1"
    set allowaccess ping https ssh
    set type physical
config user local
set passwd-policy "strict"
set password-expire 90
/system identity set name=rb-office
/ip firewall filter add chain=input action=accept protocol=icmp
/interface bridge port add bridge=bridge1 interface=ether2
wlan ssid-profile Staff
ap-name AP-2F-07
aruba-central support-mode
hostname "HP-2530-24G"
password minimum-length 12
password complexity all
spanning-tree priority 4
set deviceconfig system timezone Europe/Berlin
set rulebase security rules allow-dns action allow
show vpn ike-sa gateway hq
get system status
diagnose debug application ike -1
net user administrator
net user /domain
net use
net use * /delete
psexec \\ws-114 -s cmd
sqlcmd -S db02 -E -Q "select 1"
mysql -u root -p shop
mysql -h db1 -P 3306 -u app -p
mysqldump -u root -p --all-databases
psql -h db -p 5432 -U postgres
curl -u admin https://cloud.example.com/
curl -I https://api.example.com/health
wget -p https://example.com/index.html
ssh -p 2222 root@web02
scp -P 2222 a.txt root@web02:/tmp
docker run -p 8080:80 nginx
docker login registry.example.com
mkdir -p /srv/data/backup
cp -p /etc/hosts /root/hosts.bak
passwd oracle
passwd -l kiosk
useradd -m -s /bin/bash kiosk
chage -l root
sudo -u postgres psql
runas /user:CONTOSO\admin cmd
schtasks /query /tn Backup
schtasks /run /tn Backup
cmdkey /list
cmdkey /delete:srv1
$cred = Get-Credential
$password = Read-Host -AsSecureString
$pass = $env:SMTP_PASS
Get-ADUser bob -Properties PasswordLastSet
Set-ADUser bob -ChangePasswordAtLogon $true
Set-ADAccountPassword -Identity bob -Reset
Search-ADAccount -PasswordExpired
Get-LocalUser | Select Name, PasswordRequired
Reset-ComputerMachinePassword
Enable-BitLocker -MountPoint C: -RecoveryPasswordProtector
manage-bde -protectors -get C:
Get-BitLockerVolume -MountPoint C:
ConvertTo-SecureString -AsPlainText -Force
nltest /sc_verify:contoso.local
gpresult /r /scope computer
certutil -hashfile setup.exe SHA256
dsregcmd /status
klist purge
Test-ComputerSecureChannel -Repair
redis-cli -h cache ping
openssl rand -base64 32
openssl x509 -in cert.pem -noout -dates
7z x backup.7z -oout
unzip -l logs.zip
kubectl get secret db -o yaml
kubectl describe pod api-6d4cf56db6-9xk2p
az account show
az login
aws sts get-caller-identity
git config --global credential.helper store
export AWS_PROFILE=prod
export PATH=/usr/local/bin:$PATH
gpg --list-secret-keys
ssh-keygen -t ed25519 -C laptop
keytool -list -keystore cacerts
vault token lookup
2026-11-20 10:11:12 INFO auth: user=ann result=ok
2026-11-20 10:11:13 WARN password expires in 5 days for ann
Nov 20 10:11:12 web02 sshd[2214]: Failed password for root from host ws-9 port 52144 ssh2
Nov 20 10:11:14 web02 sshd[2214]: Accepted publickey for deploy
Nov 20 10:12:00 web02 sshd[2214]: Failed password for invalid user test
sudo: pam_unix(sudo:auth): authentication failure; logname=ann uid=1000
An account failed to log on. Status: 0xC000006D Sub Status: 0xC000006A
Failure Reason: Unknown user name or bad password.
ERROR 1045 (28000): Access denied for user 'root'@'localhost' (using password: YES)
ORA-01017: invalid username/password; logon denied
Login failed for user 'sa'. Reason: Password did not match that for the login provided.
AADSTS50126: Error validating credentials due to invalid username or password.
AADSTS50076: you must use multi-factor authentication
401 Unauthorized: token expired
invalid_grant: The refresh token has expired
WWW-Authenticate: Bearer realm="api", error="invalid_token"
The server rejected the credentials
Kerberos pre-authentication failed, code 0x18
KDC_ERR_PREAUTH_FAILED
Server=tcp:sql1,1433;Initial Catalog=crm;Integrated Security=True;Encrypt=True
jdbc:postgresql://db3:5432/report
mongodb://localhost:27017/shop
redis://cache1:6379/0
https://cloud.example.com/login?next=/home
GET /api/v1/sessions?skip=20&limit=20 HTTP/1.1 200
username=ann&remember=1
Token lifetime is 60 minutes
The API returns a token after sign-in
Token type: bearer
token_type: access
Max tokens: 4096
tokens used: 812
Key: Value
Key size: 2048
Key length 256 bit
Public key algorithm: RSA
Product key is missing
Product key: not activated
License key required
Licence: Microsoft 365 E3
Recovery key was escrowed to AD
BitLocker recovery key: see Entra
Serial: C02XK1YZJGH5
S/N CN0DG4X7-74261-3A1
IMEI 356938035643809
Service tag 7HJ2KL3
Asset LT-2026-0114
Part number 875517-B21
Warranty until 2028-03-31
UUID 7b2f1c0e-0f7c-4b6f-9d4e-2a5c8d7e6f10
Correlation ID: 0f8fad5b-d9cb-469f-a165-70867728950e
Request Id d290f1ee-6c54-4b01-90e6-d701748f0851
Tenant 72f988bf-86f1-41af-91ab-2d7cd011db47
ETag: "33a64df551425fcc55e4d42a148795d9f25f89d4"
md5sum e4d909c290d0fb1ca068ffaddf22cbd0 setup.msi
SHA1 2fd4e1c67a2d28fced849ee1bb76e7391b93eb12 of the image
commit 9fceb02d0ae598e95dc970b74767f19372d61af8
layer sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 exists
MAC aa:bb:cc:dd:ee:ff moved to port 12
arp 0011.2233.4455 ARPA Vlan10
BIOS A21, EC 1.14.2
Firmware FGT60F-v7.4.4.M-build2662
FortiOS 7.4.4 build2662
Cisco IOS XE 17.09.04a
Aruba OS 8.10.0.12 LSR
Junos 23.4R2-S3
SentinelOne 23.4.2.216
Model 9.8.7.6
CrowdStrike 7.18.18410.0
Agent 4.6.3.1022 is current
TeamViewer 15.59.3.0
AnyDesk 8.1.0.0 was removed
Acrobat 24.3.20180.0
Defender 4.18.24090.11
Office 16.0.18025.20160
Intune 5.0.6513.0
Password: (none)
Password: (not set)
Password: N/A
Password: -
Password: *****
Password: <hidden>
Password: [hidden]
password: ask the client
Password: in IT Glue
password: same as before
Password: stored in the vault
Password: to be set at first logon
Password: unchanged
Password last set: 12/11/2026
Password expires: Never
Password length: 12
Password age 41 days
Password never expires is on
Password hash sync runs every 2 minutes
Password complexity is enforced by policy
Passwords are rotated each quarter
PasswordLastSet : 11/12/2026 09:14:22
PasswordNeverExpires : False
pwdLastSet: 133758432000000000
badPwdCount: 3
user must change password at next logon
The user forgot the password
reset the password
Reset password for bob
Asked her to reset her password again tomorrow
Please reset my password, thanks
The password reset mail never arrived
He typed the wrong password three times
Caps lock was on, so the password failed
Password manager extension was reinstalled
Password field is greyed out
Password prompt keeps appearing in Outlook
Outlook asks for the password every 10 minutes
Wi-Fi password is wrong
Wifi password was changed by the landlord
The password is set by policy
The password is at least 14 characters long
The password is case sensitive
pw reset done
pw expired, extended by 1 day
PIN reset via Windows Hello
PIN entry is locked
Pin 4 of the connector is broken
Pins 1, 2, 3 and 6 are used
The OTP was never delivered
OTP app moved to the new phone
MFA is enforced for all users
MFA code was not accepted
Verification code expired
Error code 0x80070520
Error code: 5719
Code: 49
Exit code 1603
Status code 429
Zip code 10115
Country code +49
Area code 030
Postal code: 8001
Promo code field is empty
Post code SW1A 1AA
QR code was scanned
Code signing certificate is expired
Room code B-214
Backup codes were printed
Recovery codes: 8 left
Secret rotation is due in March
The client secret expires on 2027-01-15
Client secret: expired
Secret name: db-prod
secretName: tls-cert
secretKeyRef:
Shared key authentication is disabled
Shared secret does not match on both ends
Pre-shared key mismatch
PSK mismatch in phase 1
psk: mismatch
IKE phase 1 completed
community support forum
The community string was removed
SNMP community is not configured
Credentials were sent by post
Credentials are in the vault
Credential Guard is on
Credentials do not match
creds not working
login failed / account locked
Login: SSO only
Login page loads slowly
login is slow / 40 seconds
key is stuck on the keyboard
The key card was replaced
Enter key does not respond
Key: F12 opens the menu
Key users were informed
API key permissions: read
API keys are listed in settings
api_key: null
apiKey: undefined
auth: none
Auth type: OAuth 2.0
Authentication: required
Authorization failed
hash: none
Hash mismatch after download
Session id was reused
Session key negotiated
Encryption: AES-256
Encryption key length: 256
Cookie banner hides the button
Signature: Kind regards, Ann
Passwort abgelaufen
Passwort wurde zurückgesetzt
Kennwort: siehe Tresor
Das Passwort ist falsch
Das Kennwort muss 12 Zeichen haben
Der Benutzer hat sein Kennwort vergessen
Neues Passwort wurde per SMS geschickt
Mot de passe oublié
Le mot de passe est expiré
Mot de passe : inconnu
Le code PIN est bloqué
Contraseña incorrecta
La contraseña ha caducado
Contraseña: no disponible
La password è scaduta
Password dimenticata
Wachtwoord verlopen
Het wachtwoord is gewijzigd
Wachtwoord: onbekend
Palavra-passe expirada
A senha foi alterada
Senha: pendente
Hasło wygasło
Hasło zostało zmienione
Lösenordet har gått ut
Lösenord: saknas
パスワードの有効期限が切れています
密码错误
| Password | (none) |
| Password | expired |
| Setting | Password required | Yes |
| user | last logon |␤|---|---|␤| ann | 2026-11-20 |
name,passwordRequired␤ann,true
<password/>
<password></password>
<passwordRequired>true</passwordRequired>
<label>Password</label>
<input type="password" name="pw">
{"password_expired":true}
{"token_count": 812}
{"username":"ann","password":null}
{"key": "floor", "value": "2nd floor, left"}
{"name": "region", "value": "eu-west-1"}
db:␤  host: db1␤  port: 5432
[database]␤port=5432
password_min_length=12
PASSWORD_RESET_URL=https://example.com/reset
JWT_ALG=HS256
TOKEN_TTL=3600
SECRET_NAME=db-prod
KEY_FILE=/etc/ssl/private/site.key
ssl_certificate_key /etc/nginx/ssl/site.key;
PasswordAuthentication no
PermitRootLogin prohibit-password
`)
