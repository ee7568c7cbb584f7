"""Pay Checkout for a shop in Python: put an order, verify an event. Needs only the standard library.

    pay = PayCheckout("https://pay.example", os.environ["PAY_CHECKOUT_API_KEY"],
                      os.environ["PAY_CHECKOUT_SIGNING_SECRET"])
    token = pay.put_order("A1001", {"amount": "9.99", "currency": "GBP"})["orderToken"]

    def receive(headers, body):                            # the raw body, as bytes
        try:
            event = pay.verify_event(headers, body)
        except SignatureError as error:
            logging.warning(error)                         # says whether headers, clock or secret are wrong
            return 401
        if event["type"] == "test":                        # sent from the dashboard: it is about no order
            return 204
        order = pay.get_order(event["data"]["order"])      # an event may be late: ask for the truth
        if order["state"] == "paid" and order["certain"] and order["refund"] == "none" \\
                and not order["attention"] and (order["amount"], order["currency"]) == price_of(order["order"]):
            mark_paid_once(order["order"])
        return 204
"""

import base64
import hashlib
import hmac
import json
import re
import time
import urllib.error
import urllib.parse
import urllib.request

TOLERANCE_SECONDS = 5 * 60
TIMEOUT_SECONDS = 10


class SignatureError(Exception):
    """The event was not signed by the session server, or not in the last five minutes: see its code."""

    def __init__(self, code, message):
        super().__init__(f"{code}: {message}")
        self.code = code


class PayCheckoutError(Exception):
    """What the session server refused: its code (docs/error-codes.md) and HTTP status."""

    def __init__(self, status, code, detail):
        super().__init__(f"{code}: {detail}")
        self.status = status
        self.code = code


def _utc(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """The key must not follow a redirect."""

    def redirect_request(self, *_):
        return None


class PayCheckout:
    def __init__(self, server, api_key, signing_secret):
        self._server = server.rstrip("/")
        self._api_key = api_key
        self._signing_key = base64.b64decode(signing_secret.removeprefix("whsec_"))

    def put_order(self, order, details):
        """Prices an order; `orderToken` is for the tag, `payUrl` for e-mails. Amounts are decimal text."""
        return self._request("PUT", order, details)

    def get_order(self, order):
        """The truth about an order: state, certain, amount, currency, refund, attention."""
        return self._request("GET", order)

    def verify_event(self, headers, body, now=None):
        """The event in a request, by its headers and raw body (bytes). Raises SignatureError."""
        headers = {name.lower(): value for name, value in headers.items()}
        names = ("webhook-id", "webhook-timestamp", "webhook-signature")
        event_id, timestamp, signatures = (headers.get(name, "") for name in names)
        missing = [name for name in names if not headers.get(name)]
        if missing:
            raise SignatureError("signature_missing", f"the request has no {', no '.join(missing)}")
        if not re.fullmatch("[0-9]{1,11}", timestamp):
            raise SignatureError("bad_signature", "webhook-timestamp is not a time in Unix seconds")
        now = int(time.time() if now is None else now)
        if abs(now - int(timestamp)) > TOLERANCE_SECONDS:
            raise SignatureError("timestamp_outside_tolerance", f"the request was signed at {_utc(int(timestamp))}, and "
                                 f"the clock here says {_utc(now)}: a clock is wrong, or an old request was sent again")
        text = f"{event_id}.{timestamp}.".encode() + body
        expected = base64.b64encode(hmac.digest(self._signing_key, text, hashlib.sha256))
        for signature in signatures.split(" "):
            version, _, value = signature.partition(",")
            if version == "v1" and hmac.compare_digest(value.encode(), expected):
                return {"id": event_id, **json.loads(body)}
        raise SignatureError("bad_signature", "no signature fits the raw body and the signing secret: the secret is "
                             "another one than in the merchant entry, or something has changed the body on its way")

    def _request(self, method, order, body=None):
        request = urllib.request.Request(
            f"{self._server}/v1/merchant/orders/{urllib.parse.quote(order, safe='')}",
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self._api_key}", "Content-Type": "application/json"},
        )
        opener = urllib.request.build_opener(_NoRedirect)
        try:
            with opener.open(request, timeout=TIMEOUT_SECONDS) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            problem = {}
            if "json" in error.headers.get("Content-Type", ""):
                problem = json.load(error)
            detail = problem.get("detail", "no problem JSON")
            raise PayCheckoutError(error.code, problem.get("code", "http_error"), detail) from None
