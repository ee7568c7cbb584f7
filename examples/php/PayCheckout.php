<?php

declare(strict_types=1);

/** What the session server refused: its code (docs/error-codes.md) is the message's first word. */
final class PayCheckoutError extends RuntimeException
{
    public function __construct(public readonly int $status, public readonly string $errorCode, string $detail)
    {
        parent::__construct("$errorCode: $detail");
    }
}

/** The event was not signed by the session server, or not in the last five minutes: see `errorCode`. */
final class SignatureError extends RuntimeException
{
    public function __construct(public readonly string $errorCode, string $message)
    {
        parent::__construct("$errorCode: $message");
    }
}

/**
 * Pay Checkout for a shop in PHP 8.1 or newer: put an order, verify an event. Needs no other file.
 *
 *     $pay = new PayCheckout('https://pay.example', getenv('PAY_CHECKOUT_API_KEY'), getenv('PAY_CHECKOUT_SIGNING_SECRET'));
 *     $token = $pay->putOrder('A1001', ['amount' => '9.99', 'currency' => 'GBP'])['orderToken'];
 *
 *     try {
 *         $event = $pay->verifyEvent(getallheaders(), file_get_contents('php://input'));
 *     } catch (SignatureError $error) {
 *         error_log($error->getMessage()); // says whether headers, clock or secret are wrong
 *         http_response_code(401);
 *         exit;
 *     }
 *     if ($event['type'] === 'test') { // sent from the dashboard: it is about no order
 *         http_response_code(204);
 *         exit;
 *     }
 *     $order = $pay->getOrder($event['data']['order']); // an event may be late: ask for the truth
 *     if ($order['state'] === 'paid' && $order['certain'] && $order['refund'] === 'none' && !$order['attention']
 *         && [$order['amount'], $order['currency']] === price_of($order['order'])) {
 *         mark_paid_once($order['order']);
 *     }
 *     http_response_code(204);
 */
final class PayCheckout
{
    private const TOLERANCE_SECONDS = 300;
    private const TIMEOUT_SECONDS = 10;
    private string $signingKey;

    public function __construct(
        private string $server,
        #[SensitiveParameter] private string $apiKey,
        #[SensitiveParameter] string $signingSecret,
    ) {
        $this->signingKey = (string) base64_decode(preg_replace('/^whsec_/', '', $signingSecret), true);
        if ($this->signingKey === '') {
            throw new InvalidArgumentException('signingSecret: expected whsec_ and base64');
        }
    }

    /** Keeps key and secret out of `var_dump`. */
    public function __debugInfo(): array
    {
        return ['server' => $this->server];
    }

    /** Prices an order; `orderToken` is for the tag, `payUrl` for e-mails. Amounts are decimal text. */
    public function putOrder(string $order, array $details): array
    {
        return $this->request('PUT', $order, $details);
    }

    /** The truth about an order: state, certain, amount, currency, refund, attention. */
    public function getOrder(string $order): array
    {
        return $this->request('GET', $order);
    }

    /**
     * The event in a request, by its headers and raw body.
     *
     * @throws SignatureError
     */
    public function verifyEvent(array $headers, string $body, ?int $now = null): array
    {
        $headers = array_change_key_case($headers);
        $names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
        $missing = array_filter($names, fn (string $name) => ($headers[$name] ?? '') === '');
        if ($missing !== []) {
            throw new SignatureError('signature_missing', 'the request has no ' . implode(', no ', $missing));
        }
        [$id, $timestamp, $signatures] = array_map(fn (string $name) => $headers[$name], $names);
        if (!preg_match('/^[0-9]{1,11}$/D', $timestamp)) {
            throw new SignatureError('bad_signature', 'webhook-timestamp is not a time in Unix seconds');
        }
        $now ??= time();
        if (abs($now - (int) $timestamp) > self::TOLERANCE_SECONDS) {
            [$signed, $clock] = [gmdate(DATE_ATOM, (int) $timestamp), gmdate(DATE_ATOM, $now)];
            throw new SignatureError('timestamp_outside_tolerance', "the request was signed at $signed, and the clock here"
                . " says $clock: a clock is wrong, or an old request was sent again");
        }
        $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $this->signingKey, true));
        foreach (explode(' ', $signatures) as $signature) {
            if (hash_equals($expected, $signature)) {
                return ['id' => $id] + json_decode($body, true, 512, JSON_THROW_ON_ERROR);
            }
        }
        throw new SignatureError('bad_signature', 'no signature fits the raw body and the signing secret: the secret is'
            . ' another one than in the merchant entry, or something has changed the body on its way');
    }

    private function request(string $method, string $order, ?array $body = null): array
    {
        $context = stream_context_create(['http' => [
            'method' => $method,
            'header' => ["Authorization: Bearer $this->apiKey", 'Content-Type: application/json'],
            'content' => $body === null ? '' : json_encode($body, JSON_THROW_ON_ERROR),
            'timeout' => self::TIMEOUT_SECONDS,
            'ignore_errors' => true,
            'follow_location' => 0, // the key must not follow a redirect
        ]]);
        $url = rtrim($this->server, '/') . '/v1/merchant/orders/' . rawurlencode($order);
        $stream = @fopen($url, 'r', false, $context);
        if ($stream === false) {
            throw new PayCheckoutError(0, 'no_answer', 'the session server does not answer');
        }
        $status = (int) (explode(' ', stream_get_meta_data($stream)['wrapper_data'][0])[1] ?? 0);
        $answer = json_decode((string) stream_get_contents($stream), true) ?? [];
        if ($status < 200 || $status > 299) {
            throw new PayCheckoutError($status, $answer['code'] ?? 'http_error', $answer['detail'] ?? 'no problem JSON');
        }
        return $answer;
    }
}
